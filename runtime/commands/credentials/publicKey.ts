import { toHex } from '../../../core/bytes/hex.ts'
import type { CommandContext } from '../../cli/command.ts'
import type { KeyOptions } from './publicKeyCommands.ts'
import { CommandError } from '../../cli/errors.ts'
import { createNodeKey, type NodeKey, nodeKeyPath, readNodeKey, writeNodeKey } from '../../keys/nodeKey.ts'
import { writeResult } from '../result.ts'

type Context = CommandContext<KeyOptions>

/** Reads the key: an explicit file must exist, the key file of the data path is created if missing. */
const keyOf = ({ options, terminal }: Context): NodeKey => {
  const path = nodeKeyPath(options)
  const key = readNodeKey(path)
  if (key !== undefined) return key
  if (options.nodePrivateKeyFile !== undefined)
    throw new CommandError('KEY_FILE', `Private key file doesn't exist: ${path}`)
  const created = createNodeKey()
  writeNodeKey(path, created)
  terminal.error(`Created the node key ${path}`)
  return created
}

/** Prints or writes the 64 bytes of the public key. @throws CommandError */
export const exportPublicKey = async (context: Context): Promise<number> =>
  writeResult(context.options.to, context.terminal, toHex(keyOf(context).publicKey))

/** Prints or writes the address of the key. @throws CommandError */
export const exportAddress = async (context: Context): Promise<number> =>
  writeResult(context.options.to, context.terminal, toHex(keyOf(context).address))
