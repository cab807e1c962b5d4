package index

import (
	"bufio"
	"context"
	"os"
	"slices"

	"hermes/core"
)

// scanHits is how many matches are enough for a scan; it goes from the newest session to the oldest.
const scanHits = 600

// scan searches the transcripts themselves: slower, and by recency instead of relevance.
func (x *Index) scan(ctx context.Context, q Query, o Options) (out []Hit, total int, err error) {
	files, err := x.transcripts()
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(files, func(a, b transcript) int { // ids begin with their time
		if a.id > b.id {
			return -1
		}
		return 1
	})
	for _, f := range files {
		if len(out) >= scanHits {
			break
		}
		if ctx.Err() != nil {
			return out, total, ctx.Err()
		}
		hits := scanFile(f, q, o)
		total += len(hits)
		out = append(out, hits[max(0, len(hits)-looked/2):]...) // one long session must not hide the others
	}
	return out, total, nil
}

func scanFile(t transcript, q Query, o Options) []Hit {
	f, err := os.Open(t.path)
	if err != nil {
		return nil
	}
	defer closeQuiet(f)
	var out []Hit
	var made int64
	said := map[string]int64{} // where each message stands
	drop := func(from, until int64) {
		out = slices.DeleteFunc(out, func(h Hit) bool { return h.MessageID != "" && h.offset >= from && h.offset < until })
	}
	br := bufio.NewReaderSize(f, 256<<10)
	for offset := int64(0); ; {
		b, err := br.ReadBytes('\n')
		if l, ok := decode(b); ok {
			switch {
			case l.Type == "session" && l.Parent != nil:
				made = l.Created.UnixNano()
			case l.Type == core.RecordDiscard || l.Type == core.RecordUndo:
				at, ok := said[l.Target]
				switch {
				case !ok:
				case l.Type == core.RecordUndo:
					drop(at, offset)
				default:
					drop(at, at+1)
				}
			case made == 0 || l.Type == core.RecordTitle || l.Time.UnixNano() >= made:
				if l.Message != nil {
					said[l.Message.ID] = offset
				}
				if h, ok := match(t.id, l, q, o); ok {
					h.score, h.offset = weightOf(kindOf(h.Role))*recency(o.Now.Sub(h.Time)), offset
					out = append(out, h)
				}
			}
		}
		if err != nil {
			return out
		}
		offset += int64(len(b))
	}
}
