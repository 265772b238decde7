import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'

const refuse = (text: string): never => {
  throw new UsageError('INVALID_VALUE', text)
}

/** The options of a development chain that were given, without dashes. */
const given = ({ blockPeriod, devClientVersion, forkUrl, forkBlock }: NodeOptions): readonly string[] => [
  ...(blockPeriod > 0 ? ['block-period'] : []),
  ...(devClientVersion === undefined ? [] : ['dev-client-version']),
  ...(forkUrl === undefined ? [] : ['fork-url']),
  ...(forkBlock === undefined ? [] : ['fork-block']),
]

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/** @throws UsageError for an option of a development chain on any other, and for contradictions between them */
export const requireDevelopment = (options: NodeOptions): void => {
  const { genesisFile, forkUrl } = options
  const [first] = given(options)
  if (genesisFile !== undefined && first !== undefined)
    refuse(`--${first} is for a development chain: leave it out, or leave out --genesis-file`)
  if (forkUrl === undefined) return
  if (!isHttpUrl(forkUrl)) refuse("--fork-url: give the URL of a node's JSON-RPC over HTTP")
}
