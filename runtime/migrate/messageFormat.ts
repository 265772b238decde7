/** The consensus message format of a Besu release, and the option that this node needs for it. */
export type MessageFormat = { readonly text: string; readonly options: readonly string[] }

const LEGACY = '--Xbft-legacy-protocol-encoding=true'

/** @param version such as 25.12.0; undefined when it is not known */
export const messageFormatOf = (version: string | undefined): MessageFormat => {
  if (version === undefined)
    return {
      text: `the version of Besu is not known: with one before 26.1, add ${LEGACY}`,
      options: [],
    }
  const [year = 0, month = 0] = version.split('.').map(Number)
  return year < 26 || (year === 26 && month < 1)
    ? { text: `Besu ${version} reads the encoding before 26.1`, options: [LEGACY] }
    : { text: `Besu ${version} reads the encoding that this node writes`, options: [] }
}
