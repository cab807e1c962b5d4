package index

import (
	"bufio"
	"context"
	"os"
	"slices"
)

// scanHits is how many matches a scan gives; it goes from the newest session to the oldest.
const scanHits = 200

// scan searches the transcripts themselves: slower, and by recency instead of relevance.
func (x *Index) scan(ctx context.Context, q Query, o Options) ([]Hit, error) {
	files, err := x.transcripts()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b transcript) int { // ids begin with their time
		if a.id > b.id {
			return -1
		}
		return 1
	})
	var out []Hit
	for _, f := range files {
		if len(out) >= scanHits {
			break
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out = append(out, scanFile(f, q, o)...)
	}
	return out, nil
}

func scanFile(t transcript, q Query, o Options) []Hit {
	f, err := os.Open(t.path)
	if err != nil {
		return nil
	}
	defer closeQuiet(f)
	void := map[string]bool{}
	var out []Hit
	var made int64
	br := bufio.NewReaderSize(f, 256<<10)
	for {
		b, err := br.ReadBytes('\n')
		if l, ok := decode(b); ok {
			switch {
			case l.Type == "session" && l.Parent != nil:
				made = l.Created.UnixNano()
			case l.Type == "discard":
				void[l.Target] = true
			case made == 0 || l.Type == "title" || l.Time.UnixNano() >= made:
				if h, ok := match(t.id, l, q, o); ok {
					h.score = weight(h.Role) * recency(o.Now.Sub(h.Time))
					out = append(out, h)
				}
			}
		}
		if err != nil {
			return slices.DeleteFunc(out, func(h Hit) bool { return void[h.MessageID] && h.MessageID != "" })
		}
	}
}
