import { toHex, fromHex } from '../../../core/bytes/hex.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { recoverSender } from '../../../core/block/codec/signature.ts'
import { decodeTransaction } from '../../../core/block/codec/transaction.ts'
import type { CommandContext } from '../../cli/command.ts'
import { readInputFile } from '../../setup/inputFile.ts'
import type { TxparseOptions } from './setupCommands.ts'

/** All lines together. */
const INPUT_BYTES_MAX = 64 * 1024 * 1024

/** The sender of one transaction, or the reason why it is not a valid transaction. */
const parseLine = (line: string): string => {
  if (!/^(0x)?([0-9a-f]{2})+$/i.test(line)) return 'err: the line is not hex'
  try {
    const transaction = decodeTransaction(fromHex(line))
    const sender = recoverSender(transaction)
    return sender === undefined ? 'err: the signature is invalid' : toHex(sender)
  } catch (error) {
    if (error instanceof DecodeError) return `err: ${error.message}`
    throw error
  }
}

/** Prints the sender of each encoded transaction, one hex line each; `err:` and the reason for one that is invalid. */
export const parseTransactions = async ({
  options,
  terminal,
}: CommandContext<TxparseOptions>): Promise<number> => {
  const text =
    options.corpusFile === undefined
      ? await terminal.readInput(INPUT_BYTES_MAX)
      : readInputFile(options.corpusFile, INPUT_BYTES_MAX)
  for (const line of text.split(/\r?\n/)) {
    const given = line.trim()
    // As in Besu, a line that begins with # is a comment.
    if (given !== '' && !given.startsWith('#')) terminal.out(parseLine(given))
  }
  return 0
}
