import { toHex } from '../../core/bytes/hex.ts'
import type { CommandContext } from '../cli/command.ts'
import type { KeyOptions } from '../cli/commands.ts'
import { CommandError } from '../cli/errors.ts'
import { writeFileAtomically } from '../files/atomic.ts'
import { createNodeKey, type NodeKey, nodeKeyPath, readNodeKey, writeNodeKey } from '../keys/nodeKey.ts'

type Context = CommandContext<KeyOptions>

/** The key that was asked for: an explicit file must be there, the one of the data path is made when missing. */
const keyOf = ({ options }: Context): NodeKey => {
  const path = nodeKeyPath(options)
  const key = readNodeKey(path)
  if (key !== undefined) return key
  if (options.nodePrivateKeyFile !== undefined)
    throw new CommandError('KEY_FILE', `Private key file doesn't exist: ${path}`)
  const made = createNodeKey()
  writeNodeKey(path, made)
  return made
}

const print = ({ options, terminal }: Context, text: string): number => {
  if (options.to === undefined) terminal.out(text)
  else writeFileAtomically(options.to, text)
  return 0
}

export const exportPublicKey = async (context: Context): Promise<number> =>
  print(context, toHex(keyOf(context).publicKey))

export const exportAddress = async (context: Context): Promise<number> =>
  print(context, toHex(keyOf(context).address))
