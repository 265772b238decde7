import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { decodeGenesisExtraData, encodeExtraData, VANITY_BYTES } from '../../core/block/codec/extraData.ts'
import type { CommandContext } from '../cli/command.ts'
import type { RlpOptions } from './rlpCommands.ts'
import { CommandError } from '../cli/errors.ts'
import { readInputFile } from '../setup/inputFile.ts'
import { writeResult } from './result.ts'

type Context = CommandContext<RlpOptions>

/** Maximum input length: a validator set has a few kilobytes. */
const INPUT_BYTES_MAX = 1024 * 1024

const readText = async ({ options, terminal }: Context): Promise<string> =>
  options.from === undefined
    ? terminal.readInput(INPUT_BYTES_MAX)
    : readInputFile(options.from, INPUT_BYTES_MAX)

const parseAddresses = (text: string): readonly Uint8Array[] => {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    // The messages of the engines differ between runtimes.
    throw new CommandError('INPUT', 'The input is not JSON: an array of validator addresses is expected')
  }
  if (!Array.isArray(list))
    throw new CommandError('INPUT', 'The input must be a JSON array of validator addresses')
  return list.map((entry: unknown) => {
    if (typeof entry !== 'string' || !/^(0x)?[0-9a-f]{40}$/i.test(entry))
      throw new CommandError('INPUT', `${JSON.stringify(entry)} is not an address of 20 bytes of hex`)
    return fromHex(entry)
  })
}

/**
 * Encodes a JSON array of addresses, in its order, as the extraData of a genesis file: no vanity, no vote, round 0, no seals.
 * @throws CommandError
 */
export const encode = async (context: Context): Promise<number> => {
  const validators = parseAddresses(await readText(context))
  const extraData = encodeExtraData({
    ...(context.options.type === 'IBFT_EXTRA_DATA' ? { encoding: 'ibft2' as const } : {}),
    vanity: new Uint8Array(VANITY_BYTES),
    validators,
    vote: undefined,
    round: 0,
    seals: [],
  })
  return writeResult(context.options.to, context.terminal, toHex(extraData))
}

/**
 * Decodes an extraData, the first line of the input in hex, to its validators. Both types are decoded alike.
 * @throws CommandError, DecodeError
 */
export const decode = async (context: Context): Promise<number> => {
  const line = (await readText(context)).split(/\r?\n/)[0]?.trim() ?? ''
  if (!/^(0x)?([0-9a-f]{2})+$/i.test(line))
    throw new CommandError(
      'INPUT',
      'The first line of the input is not hex: the extraData of a block is expected',
    )
  const { validators } = decodeGenesisExtraData(fromHex(line))
  return writeResult(context.options.to, context.terminal, `[${validators.map(toHex).join(', ')}]`)
}
