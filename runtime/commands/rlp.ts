import { readFileSync } from 'node:fs'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { decodeExtraData, encodeExtraData } from '../../core/chain/codec/extraData.ts'
import type { CommandContext } from '../cli/command.ts'
import type { RlpOptions } from '../cli/commands.ts'
import { CommandError, UsageError } from '../cli/errors.ts'
import { writeFileAtomically } from '../files/atomic.ts'

type Context = CommandContext<RlpOptions>

/** A set of validators is a few kilobytes; more is another file. */
const INPUT_BYTES_MAX = 1024 * 1024

const VANITY_BYTES = 32

const requireQbft = ({ options, sources }: Context): void => {
  if (options.type === 'QBFT_EXTRA_DATA') return
  const given = sources.has('type') ? 'is not supported here' : "is Besu's default and not supported here"
  throw new UsageError('UNSUPPORTED', `IBFT_EXTRA_DATA ${given}: give --type=QBFT_EXTRA_DATA`)
}

const readText = async ({ options, terminal }: Context): Promise<string> => {
  if (options.from === undefined) return terminal.readInput(INPUT_BYTES_MAX)
  try {
    return readFileSync(options.from, 'utf8')
  } catch (cause) {
    throw new CommandError(
      'INPUT',
      `Cannot read ${options.from}: ${(cause as { code?: string }).code ?? String(cause)}`,
    )
  }
}

const print = ({ options, terminal }: Context, text: string): number => {
  if (options.to === undefined) terminal.out(text)
  else writeFileAtomically(options.to, text)
  return 0
}

const parseAddresses = (text: string): readonly Uint8Array[] => {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    // The engine's words differ between runtimes.
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

/** JSON array of addresses to the hex of a genesis extraData: no vanity, no vote, round 0, no seals, the given order. */
export const encode = async (context: Context): Promise<number> => {
  requireQbft(context)
  const validators = parseAddresses(await readText(context))
  const extraData = encodeExtraData({
    vanity: new Uint8Array(VANITY_BYTES),
    validators,
    vote: undefined,
    round: 0,
    seals: [],
  })
  return print(context, toHex(extraData))
}

/** Hex of an extraData (the first line of the input) to the validators it names. */
export const decode = async (context: Context): Promise<number> => {
  requireQbft(context)
  const line = (await readText(context)).split(/\r?\n/)[0]?.trim() ?? ''
  if (!/^(0x)?([0-9a-f]{2})+$/i.test(line))
    throw new CommandError(
      'INPUT',
      'The first line of the input is not hex: the extraData of a block is expected',
    )
  const { validators } = decodeExtraData(fromHex(line))
  return print(context, `[${validators.map(toHex).join(', ')}]`)
}
