// Ranges of characters as the generator writes them: numbers in base 36, alternately the first character of a range and the first
// character after it. Each number is the difference from the previous one.
export type Ranges = Uint32Array

export function ranges(encoded: string): Ranges {
  let last = 0
  return Uint32Array.from(encoded.split(' '), (distance) => (last += Number.parseInt(distance, 36)))
}

// contains reports whether a character is in one of the ranges.
export function contains(bounds: Ranges, code: number): boolean {
  let low = 0
  let high = bounds.length // the number of bounds that are at or below code is in [low, high]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((bounds[middle] as number) <= code) low = middle + 1
    else high = middle
  }
  return low % 2 === 1
}

// A Mapping maps characters to characters. It holds runs of characters with the same step and the same distance to their results.
export type Mapping = Int32Array // first, last, step, distance

export function mapping(encoded: string): Mapping {
  let last = 0
  return Int32Array.from(encoded.split(' '), (part, i) => {
    const n = Number.parseInt(part, 36)
    if (i % 4 < 2) return (last += n)
    return n
  })
}

// mapped returns the result of a mapping for a character.
export function mapped(by: Mapping, code: number): number {
  let low = 0
  let high = by.length / 4
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((by[4 * middle + 1] as number) < code) low = middle + 1
    else high = middle
  }
  const i = 4 * low
  if (i >= by.length || (by[i] as number) > code || (code - (by[i] as number)) % (by[i + 2] as number) !== 0) return code
  return code + (by[i + 3] as number)
}
