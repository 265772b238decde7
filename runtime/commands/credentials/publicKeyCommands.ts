import { type Command, defineCommand } from '../../cli/command.ts'
import { NODE_OPTIONS } from '../../cli/nodeOptions.ts'
import { to } from '../sharedOptions.ts'

export type KeyOptions = typeof KEY_OPTIONS
const KEY_OPTIONS = {
  dataPath: NODE_OPTIONS.dataPath,
  nodePrivateKeyFile: {
    ...NODE_OPTIONS.nodePrivateKeyFile,
    description:
      'File with the private key, which must exist; the key file of the data path is created if missing',
  },
  to,
}

export const PUBLIC_KEY_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'public-key export',
    summary: "Print the node's public key",
    arguments: '',
    options: KEY_OPTIONS,
    examples: ['--node-private-key-file=key'],
    load: async () => (await import('./publicKey.ts')).exportPublicKey,
  }),
  defineCommand({
    name: 'public-key export-address',
    summary: "Print the node's address, which is its validator address",
    arguments: '',
    options: KEY_OPTIONS,
    examples: ['--data-path=data'],
    load: async () => (await import('./publicKey.ts')).exportAddress,
  }),
]
