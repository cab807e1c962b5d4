"""Find risky commands in shell scripts."""
import re
import sys

DANGEROUS_PATTERNS = [
    r"rm -rf /",
    r"curl .* \| sh",
    "mkfs.ext4 /dev/sda",
    ":(){ :|:& };:",
]

for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            for pattern in DANGEROUS_PATTERNS:
                if re.search(pattern, line):
                    print(f"{name}:{number}: {line.strip()}")
