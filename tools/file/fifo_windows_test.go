package file

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
