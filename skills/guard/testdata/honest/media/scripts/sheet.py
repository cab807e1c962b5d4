import argparse
import base64
import shutil
import subprocess
import tempfile
from pathlib import Path

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", default="sheet.png")
    args = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="sheet-"))
    try:
        pictures = sorted(args.folder.glob("*.jpg"))
        subprocess.run(["magick", "montage", *map(str, pictures), "-geometry", "200x200+4+4", args.out], check=True)
        (work / "pixel.png").write_bytes(PIXEL)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
