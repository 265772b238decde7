/** Content codings that the runtimes support; HTTP calls zlib's format deflate. */
export type Coding = 'gzip' | 'deflate'

/** The content coding that a client accepts. */
export type CodingChoice = {
  /** The supported coding with the highest weight; undefined where the client prefers none. */
  readonly coding: Coding | undefined
  /** True where the client refuses an uncompressed answer. */
  readonly isCodingWanted: boolean
}

/** Maximum number of entries; browsers send five. Further entries are ignored. */
const ENTRIES_MAX = 16

const IS_QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** The weight among an entry's parameters: 1 without one, 0 where it is invalid. */
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
 * Chooses the coding of the answer (RFC 9110, 12.5.3): the one with the highest weight, gzip before deflate, and none only
 * where identity has a higher weight.
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
