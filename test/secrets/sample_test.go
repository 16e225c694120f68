package secrets

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// sample returns a random text that an expression matches. It repeats an unbounded part at most 40
// times. From a class, it takes only visible ASCII characters, because tokens have no others.
func sample(random *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return strings.ToLower(string(re.Rune)) // as the issuers write it; only the expression ignores case
		}
		return string(re.Rune)
	case syntax.OpCharClass:
		var runes []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for r := max(re.Rune[i], '!'); r <= min(re.Rune[i+1], '~'); r++ {
				runes = append(runes, r)
			}
		}
		if len(runes) == 0 {
			return " "
		}
		return string(runes[random.IntN(len(runes))])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "."
	case syntax.OpCapture:
		return sample(random, re.Sub[0])
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(sample(random, sub))
		}
		return b.String()
	case syntax.OpAlternate:
		return sample(random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpStar:
		return times(random, re.Sub[0], 20, 40)
	case syntax.OpPlus:
		return times(random, re.Sub[0], 20, 40)
	case syntax.OpQuest:
		return times(random, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 40
		}
		return times(random, re.Sub[0], re.Min, most)
	}
	return "" // begins and ends of lines, texts and words
}

func times(random *rand.Rand, re *syntax.Regexp, least, most int) string {
	var b strings.Builder
	for range least + random.IntN(most-least+1) {
		b.WriteString(sample(random, re))
	}
	return b.String()
}
