package searchtool

import (
	"fmt"
	"strings"
	"time"
)

// A Window is the range of time of the wanted results.
type Window struct {
	Within   Period    // "": no period
	From, To time.Time // days; zero: open
	Newest   bool      // sort by date, newest first
	tbs      string    // as it was written
}

// A Period is a length of time that ends now.
type Period string

// The periods.
const (
	Hour  Period = "hour"
	Day   Period = "day"
	Week  Period = "week"
	Month Period = "month"
	Year  Period = "year"
)

// dayOfTBS is the layout of a day in tbs.
const dayOfTBS = "1/2/2006"

// ParseWindow reads the value of tbs, a parameter of Google's search: qdr:h, qdr:d, qdr:w, qdr:m or
// qdr:y, or cdr:1 with cd_min:MM/DD/YYYY, cd_max:MM/DD/YYYY or both, and sbd:1, joined by commas.
func ParseWindow(tbs string) (Window, error) {
	w := Window{tbs: tbs}
	if tbs == "" {
		return w, nil
	}
	ranged := false
	for part := range strings.SplitSeq(tbs, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), ":")
		var err error
		switch name {
		case "qdr":
			w.Within = map[string]Period{"h": Hour, "d": Day, "w": Week, "m": Month, "y": Year}[value]
			if w.Within == "" {
				return w, fmt.Errorf("%q is not a period; there are qdr:h, qdr:d, qdr:w, qdr:m and qdr:y", part)
			}
		case "cdr":
			if ranged = true; value != "1" && value != "a" {
				return w, fmt.Errorf("%q is not known; write cdr:1", part)
			}
		case "cd_min":
			w.From, err = time.Parse(dayOfTBS, value)
		case "cd_max":
			w.To, err = time.Parse(dayOfTBS, value)
		case "sbd":
			if w.Newest = true; value != "1" {
				return w, fmt.Errorf("%q is not known; write sbd:1", part)
			}
		default:
			return w, fmt.Errorf("%q is not known; write qdr:w, or cdr:1,cd_min:01/31/2026,cd_max:02/28/2026", part)
		}
		if err != nil {
			return w, fmt.Errorf("%q is not a day; write month/day/year, such as %s:01/31/2026", part, name)
		}
	}
	dated := !w.From.IsZero() || !w.To.IsZero()
	switch {
	case ranged && !dated:
		return w, fmt.Errorf("cdr:1 needs cd_min:MM/DD/YYYY, cd_max:MM/DD/YYYY or both")
	case dated && !ranged:
		return w, fmt.Errorf("cd_min and cd_max need cdr:1 before them")
	case dated && w.Within != "":
		return w, fmt.Errorf("qdr and cdr exclude each other")
	case dated && !w.To.IsZero() && w.To.Before(w.From):
		return w, fmt.Errorf("cd_max is before cd_min")
	}
	return w, nil
}

// Dated reports whether the window has a first or a last day.
func (w Window) Dated() bool { return !w.From.IsZero() || !w.To.IsZero() }

// Open reports whether results of any time are wanted.
func (w Window) Open() bool { return w.Within == "" && !w.Dated() }
