"""The former address of Error curves."""

from pages.shared.ui.opening import moved

moved("pages/error_curves.py")
