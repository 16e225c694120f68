package prompts

// An ExportedPart is a run of text of a prompt, or a line that may stand for a resource, for a
// program that renders prompts as [Prompt.Render] does and has no files.
type ExportedPart struct {
	Pieces []ExportedPiece
	URI    []ExportedPiece // of a line that is a link; else nil
	Image  bool            // that line is an image
}

// An ExportedPiece is text, or stands for an argument.
type ExportedPiece struct {
	Text     string
	Argument int // in Prompt.Arguments, or -1
}

// Export returns the parts of the prompt in their order.
func (p *Prompt) Export() []ExportedPart {
	pieces := func(parsed []piece) []ExportedPiece {
		out := make([]ExportedPiece, len(parsed))
		for i, pc := range parsed {
			out[i] = ExportedPiece{pc.text, -1}
			if pc.placeholder {
				out[i] = ExportedPiece{Argument: pc.argument}
			}
		}
		return out
	}
	out := make([]ExportedPart, len(p.parts))
	for i, part := range p.parts {
		out[i].Pieces = pieces(part.pieces)
		if part.link != nil {
			out[i].URI, out[i].Image = pieces(part.link.uri), part.link.image
		}
	}
	return out
}
