// logarithm returns the natural logarithm of a number of at least 1. It does the same operations as math.Log of Go, because Math.log may
// differ in the last bit.
export function logarithm(x: number): number {
  let k = 0
  let fraction = x
  while (fraction >= 1) {
    fraction /= 2
    k++
  }
  if (fraction < Math.SQRT1_2) {
    fraction *= 2
    k--
  }
  const f = fraction - 1
  const s = f / (2 + f)
  const s2 = s * s
  const s4 = s2 * s2
  const t1 = s2 * (6.666666666666735130e-1 + s4 * (2.857142874366239149e-1 + s4 * (1.818357216161805012e-1 + s4 * 1.479819860511658591e-1)))
  const t2 = s4 * (3.999999999940941908e-1 + s4 * (2.222219843214978396e-1 + s4 * 1.531383769920937332e-1))
  const half = 0.5 * f * f
  return k * 6.93147180369123816490e-1 - (half - (s * (half + (t1 + t2)) + k * 1.90821492927058770002e-10) - f)
}
