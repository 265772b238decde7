/** An option of Besu that this node does not have, and how this node treats it. */
export type BesuOption = {
  /** Without the two dashes. */
  readonly name: string
  /** True for an option that may be given without a value. */
  readonly isFlag: boolean
  /** The accepted values in lower case; undefined accepts every value. */
  readonly accepted: readonly string[] | undefined
  /** What an accepted value means for this node: one line in the log. */
  readonly meaning: string
  /** Why other values are refused, and how to get the same; empty where every value is accepted. */
  readonly refusal: string
}

/**
 * Several options with one explanation.
 * @param names separated by white space; `!` marks a flag, and values after `=` are the accepted ones of that option
 */
export type BesuOptions = {
  readonly names: string
  readonly meaning: string
  readonly refusal?: string
}

/** The rows of a group. An option of a group with a refusal accepts the values behind its `=` only. */
export const optionsOf = ({ names, meaning, refusal }: BesuOptions): readonly BesuOption[] =>
  names
    .trim()
    .split(/\s+/)
    .map(word => {
      const [marked = '', values] = word.split('=')
      return {
        name: marked.replace('!', ''),
        isFlag: marked.endsWith('!'),
        accepted: refusal === undefined ? undefined : (values?.toLowerCase().split('|') ?? []),
        meaning,
        refusal: refusal ?? '',
      }
    })
