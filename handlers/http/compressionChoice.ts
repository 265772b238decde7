/** Content codings that the runtimes make by themselves, by the name of HTTP, which calls zlib's format deflate. */
export type Coding = 'gzip' | 'deflate'

/** What a client makes of an answer's coding. */
export type CodingChoice = {
  /** What it likes best of what there is; undefined where that is no coding at all. */
  readonly coding: Coding | undefined
  /** It takes nothing that is not coded. */
  readonly isCodingWanted: boolean
}

/** Entries looked at: browsers send five. What stands behind them is not accepted. */
const ENTRIES_MAX = 16

const IS_QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** The weight among an entry's parameters, 1 without one; 0 where it is none. */
const qualityOf = (parameters: readonly string[]): number => {
  const written = parameters.map(text => text.trim()).find(text => /^q\s*=/i.test(text))
  if (written === undefined) return 1
  const quality = written.slice(written.indexOf('=') + 1).trim()
  return IS_QUALITY.test(quality) ? Number(quality) : 0
}

const read = (acceptEncoding: string): ReadonlyMap<string, number> => {
  const qualities = new Map<string, number>()
  for (const entry of acceptEncoding.split(',', ENTRIES_MAX)) {
    const [name = '', ...parameters] = entry.split(';')
    const coding = name
      .trim()
      .toLowerCase()
      .replace(/^x-gzip$/, 'gzip')
    if (coding !== '') qualities.set(coding, qualityOf(parameters))
  }
  return qualities
}

/**
 * The coding to answer in (RFC 9110, 12.5.3): the one of the highest weight, gzip before deflate, either before none unless
 * that has a higher weight of its own.
 */
export const chooseCoding = (acceptEncoding: string): CodingChoice => {
  const qualities = read(acceptEncoding)
  const others = qualities.get('*')
  const [gzip, deflate] = [qualities.get('gzip') ?? others ?? 0, qualities.get('deflate') ?? others ?? 0]
  const best = Math.max(gzip, deflate)
  const plain = qualities.get('identity')
  if (best === 0 || best < (plain ?? 0)) return { coding: undefined, isCodingWanted: false }
  return { coding: gzip === best ? 'gzip' : 'deflate', isCodingWanted: (plain ?? others) === 0 }
}
