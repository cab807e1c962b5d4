package skills

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hermes/core/home"
	"hermes/core/text"
)

// newName is what our writers accept; readers are more generous.
var newName = text.NewPattern(`\A[a-z0-9][a-z0-9-]*\z`)

// checkName refuses names that a new skill cannot have.
func checkName(name string) *RefusedError {
	return checkWord(RefusedName, "name", name, "deploy-nextjs")
}

// checkCategory refuses names that a category cannot have. It is trimmed before; empty is none.
func checkCategory(category string) *RefusedError {
	if category == "" {
		return nil
	}
	if r := checkWord(RefusedCategory, "category", category, "devops"); r != nil {
		return r
	}
	if support(category) {
		return &RefusedError{Code: RefusedCategory, Name: category, Message: fmt.Sprintf("category %q is the name of a folder within skills. Choose another.", category)}
	}
	return nil
}

func checkWord(code RefusedCode, what, s, example string) *RefusedError {
	var why string
	switch n := text.Len(s); {
	case s == "":
		why = "is empty"
	case n > MaxName:
		why = fmt.Sprintf("has %d characters; at most %d are allowed", n, MaxName)
	case !newName.Regexp().MatchString(s):
		why = "may hold lowercase letters, digits and hyphens only, and begins with a letter or digit"
	case device(s):
		why = "is the name of a device on Windows, where the library could not be kept"
	default:
		return nil
	}
	return &RefusedError{Code: code, Name: text.Cut(oneLine(s), 80), Message: fmt.Sprintf("%s %q %s. An example: %q.", what, text.Cut(oneLine(s), 80), why, example)}
}

// cleanFile reads the path of a file of skill as a model writes it: below the skill's folder, with slashes.
func cleanFile(skill, file string) (string, *RefusedError) {
	p := strings.ReplaceAll(strings.TrimSpace(file), `\`, "/")
	bad := func(why string) (string, *RefusedError) {
		return "", &RefusedError{
			Code: RefusedPath, Name: skill,
			Message: fmt.Sprintf("file_path %q %s. Files of a skill lie in references/, templates/, scripts/ or assets/ below it, for example \"references/api.md\".", text.Cut(oneLine(file), 120), why),
		}
	}
	switch {
	case p == "":
		return bad("is empty")
	case text.Visible(p) != p || strings.ContainsRune(p, 0xFFFD):
		return bad("holds characters that are not seen")
	case strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || len(p) > 1 && p[1] == ':' || filepath.IsAbs(p):
		return bad("is absolute; it must be relative to the skill's folder")
	case strings.ContainsAny(p, `:*?"<>|`):
		return bad("holds one of : * ? \" < > |, which Windows does not take in names")
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "..":
			return bad("leads out of the skill's folder")
		case device(part) || part != strings.TrimRight(part, " .") && part != ".":
			return bad("has a part that Windows does not take as a name")
		}
	}
	p = path.Clean(p)
	if p == FileName || p == path.Base(skill)+"/"+FileName {
		return FileName, nil
	}
	first, rest, _ := strings.Cut(p, "/")
	switch {
	case p == ".":
		return bad("names no file")
	case !support(first):
		return bad("is in none of the folders a skill may have")
	case rest == "":
		return bad("names a folder; a file name is missing")
	case path.Base(p) == FileName:
		return bad("would be a second SKILL.md; a skill has one, in its folder")
	case strings.Count(p, "/") > 8 || len(p) > 400:
		return bad("is too long or too deep")
	}
	return p, nil
}

// device tells whether Windows takes a name for one of its devices, whatever its extension.
func device(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch stem = strings.TrimSpace(stem); stem {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '1' && stem[3] <= '9'
}

// inside returns the path of file below folder, when no link leads out of it. Writers pass write: then
// links are refused altogether.
func inside(folder, file string, write bool) (string, *RefusedError) {
	full := filepath.Join(folder, filepath.FromSlash(file))
	refuse := func(why string) (string, *RefusedError) {
		return "", &RefusedError{Code: RefusedPath, Name: file, Message: fmt.Sprintf("%s %s. Nothing was read or changed.", file, why)}
	}
	if write {
		at := folder
		for part := range strings.SplitSeq(file, "/") {
			at = filepath.Join(at, part)
			if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
				return refuse("is or lies behind a symbolic link; hermes does not write through links")
			}
		}
	}
	root, err := home.ResolvePath(folder)
	if err != nil {
		return refuse("cannot be resolved: " + err.Error())
	}
	real, err := home.ResolvePath(full)
	if err != nil {
		return refuse("cannot be resolved: " + err.Error())
	}
	if real != root && !strings.HasPrefix(real, root+string(filepath.Separator)) {
		return refuse("leads out of the skill's folder through a link")
	}
	return full, nil
}
