package pdftext

import "strings"

// Widths of the printable characters of ASCII in fonts that a PDF need not contain, in thousandths of the font size. The
// widths of bold and slanted fonts differ by less than a space.
var (
	timesWidths = [...]uint16{
		250, 333, 408, 500, 500, 833, 778, 333, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500,
		500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722,
		611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444,
		500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722,
		500, 500, 444, 480, 200, 480, 541,
	}
	helveticaWidths = [...]uint16{
		278, 278, 355, 556, 556, 889, 667, 222, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
		556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667,
		556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556,
		556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722,
		500, 500, 500, 334, 260, 334, 584,
	}
)

// unknownWidth is about the width of a letter.
const unknownWidth = 500

// usualWidth returns the width of a character of a font whose widths the PDF does not have.
func usualWidth(baseFont string, char int) float64 {
	switch i := char - ' '; {
	case strings.HasPrefix(baseFont, "Courier"):
		return 600
	case i < 0 || i >= len(timesWidths):
	case strings.HasPrefix(baseFont, "Times"):
		return float64(timesWidths[i])
	case strings.HasPrefix(baseFont, "Helvetica"), strings.HasPrefix(baseFont, "Arial"):
		return float64(helveticaWidths[i])
	}
	return unknownWidth
}
