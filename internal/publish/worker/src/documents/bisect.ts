// bisect returns the first number from 0 on for which holds returns true, or n. holds returns true for all numbers after that one too.
export function bisect(n: number, holds: (i: number) => boolean): number {
  let low = 0
  let high = n
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
