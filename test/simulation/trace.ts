/** What happened, as one number for all of it, and line by line where somebody wants to read it. */
export type Trace = {
  /** `detail` is only made where it is read. */
  note(atMs: number, who: string, what: string, detail?: () => string): void
  /** Of everything noted so far. */
  hash(): string
}

const PRIME = 0x0100_0193

export const createTrace = (tell: ((line: string) => void) | undefined): Trace => {
  let low = 0x811c_9dc5
  let high = 0x1234_5678
  const mix = (text: string): void => {
    for (let i = 0; i < text.length; i++) {
      low = Math.imul(low ^ text.charCodeAt(i), PRIME)
      high = Math.imul(high ^ low ^ (low >>> 13), PRIME)
    }
  }
  return {
    note: (atMs, who, what, detail) => {
      mix(`${atMs} ${who} ${what}`)
      tell?.(
        `${(atMs / 1000).toFixed(3).padStart(9)} ${who.padEnd(4)} ${what}${detail === undefined ? '' : ` ${detail()}`}`,
      )
    },
    hash: () => [high, low].map(word => (word >>> 0).toString(16).padStart(8, '0')).join(''),
  }
}
