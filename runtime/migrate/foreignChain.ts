import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM } from '../cli/program.ts'

/** The chain of another client, by its files in the data path. */
const FOREIGN: readonly (readonly [path: string, client: string, way: (dataPath: string) => string])[] = [
  [
    'database',
    'Besu',
    dataPath =>
      `\`${PROGRAM} migrate --from-besu=${dataPath} --data-path=<new folder>\` prints how to start beside it`,
  ],
  ['geth/chaindata', 'GoQuorum', () => 'give a data path of its own, with a copy of nodekey as key'],
]

/**
 * A warning where the data path holds the database of Besu or GoQuorum, which this node does not read; undefined where it
 * holds none.
 */
export const foreignChainWarning = (dataPath: string): string | undefined => {
  const found = FOREIGN.find(([path]) => existsSync(join(dataPath, path)))
  if (found === undefined) return undefined
  const [, client, way] = found
  return `The database of ${client} in ${dataPath} is not read: this node fetches the chain from the other nodes. ${way(dataPath)}`
}
