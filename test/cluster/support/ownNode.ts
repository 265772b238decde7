import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { genesisText, testKey } from '../../runtime/genesis.ts'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'

export type Genesis = NonNullable<Parameters<typeof genesisText>[0]>

/** Starts a node in `folder` with a genesis file and a key of its own. */
export const startOwnNode = (
  folder: string,
  name: string,
  key: number,
  genesis: Genesis,
  args: readonly string[],
): Promise<NodeProcess> => {
  const path = (file: string): string => join(folder, `${name}.${file}`)
  writeFileSync(path('json'), genesisText(genesis))
  writeFileSync(path('key'), toHex(testKey(key)), { mode: 0o600 })
  return startNode(join(folder, name), [
    `--genesis-file=${path('json')}`,
    `--node-private-key-file=${path('key')}`,
    '--p2p-interface=127.0.0.1',
    '--rpc-http-enabled',
    '--logging-format=PLAIN',
    ...args,
  ])
}

/** The enode URL that a node wrote when it began. */
export const enodeOf = (node: NodeProcess): string => {
  const found = /Enode URL (enode:\S+)/.exec(node.output())?.[1]
  if (found === undefined) throw new Error('the node wrote no enode URL')
  return found
}
