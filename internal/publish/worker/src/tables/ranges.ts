// Ranges of characters as the generator writes them: numbers in base 36, each the distance to the one before, alternately the first
// character of a range and the first behind it.
export type Ranges = Uint32Array

export function ranges(encoded: string): Ranges {
  let at = 0
  return Uint32Array.from(encoded.split(' '), (distance) => (at += Number.parseInt(distance, 36)))
}

// contains reports whether a character is in one of the ranges.
export function contains(of: Ranges, code: number): boolean {
  let low = 0
  let high = of.length // the number of bounds that are at or below code is in [low, high]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((of[middle] as number) <= code) low = middle + 1
    else high = middle
  }
  return low % 2 === 1
}

// A Mapping maps characters to characters: runs of characters of the same distance to what they become, and of the same step.
export type Mapping = Int32Array // first, last, step, distance

export function mapping(encoded: string): Mapping {
  let at = 0
  return Int32Array.from(encoded.split(' '), (part, i) => {
    const n = Number.parseInt(part, 36)
    if (i % 4 < 2) return (at += n)
    return n
  })
}

// mapped returns what a character becomes.
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
