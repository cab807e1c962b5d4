package threat

// Fold returns text as the patterns of this package see it: compatibility forms resolved, look-alike
// letters of other scripts mapped to Latin, invisible characters dropped. Lines are kept: line n of the
// result is line n of text.
func Fold(text string) string {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return normalise(text).text
		}
	}
	return text
}
