"""What somebody may write into an address."""

DIGITS = "9" * 5000  # more than Python turns into a number
HOSTILE = [
    "", " ", ",", ",,1,,", "0", "-1", "1.5", "1,2,1", "x", "None", "on", "٣", "²", "0x10", "1_0",
    str(2**31), str(2**53), str(2**63), str(-(2**63) - 1), DIGITS, f"-{DIGITS}", f"1,{DIGITS}",
    f"0-{DIGITS}", "0-99999999", "5-1", "-", "nan", "inf", "-inf", "1e400", "1e-400", "-0.0",
    "zoo\nport", "zoo\r\nport", "\n", "\t", "\0", "a\0b", "\x1b[31m", "\u202ezoo", "🦊",
    "<script>alert(1)</script>", ":red[x] $a$ **b** [l](http://x)", "' OR 1=1; DROP TABLE runs; --",
    "../../../etc/passwd", "/dev/zero", "%00%0a", "{}", "[" * 1000, "(" * 1000, '"', '"a', "'",
    "\ufeffzoo", "\\",
    "=" * 100, "a" * 100_000, "a," * 10_000,
]  # fmt: skip
