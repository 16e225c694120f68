package command

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// A bounded is the value of a flag that has bounds.
type bounded[T cmp.Ordered] struct {
	value       *T
	parse       func(string) (T, error)
	least, most T
	want        string // what the value must be
}

// Whole returns the value of a flag: a whole number with bounds.
func Whole(value *int, least, most int) pflag.Value {
	return &bounded[int]{value, strconv.Atoi, least, most, fmt.Sprintf("a whole number from %d to %d", least, most)}
}

// Number returns the value of a flag: a number with bounds.
func Number(value *float64, least, most float64) pflag.Value {
	parse := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	return &bounded[float64]{value, parse, least, most, fmt.Sprintf("a number from %g to %.0f", least, most)}
}

// Interval returns the value of a flag: a duration that is not too short.
func Interval(value *time.Duration, least time.Duration) pflag.Value {
	return &bounded[time.Duration]{value, time.ParseDuration, least, math.MaxInt64, fmt.Sprintf("a time such as 90s or 5m, at least %v", least)}
}

func (b *bounded[T]) Set(text string) error {
	v, err := b.parse(text)
	if err != nil || !(v >= b.least && v <= b.most) { // also refuses NaN
		return errors.New("must be " + b.want)
	}
	*b.value = v
	return nil
}

func (b *bounded[T]) String() string {
	if *b.value == *new(T) {
		return "0"
	}
	return fmt.Sprint(*b.value)
}

func (b *bounded[T]) Type() string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", *b.value), "time."))
}

// Globs returns the function of a flag that may be given several times, each time with a pattern.
func Globs(value *[]*glob.Glob) func(string) error {
	return func(text string) error {
		parsed, err := glob.Parse(text)
		if err != nil {
			return fmt.Errorf("which is %w", err)
		}
		*value = append(*value, parsed)
		return nil
	}
}
