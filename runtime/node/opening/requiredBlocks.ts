import { toHex } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import { parseRequiredBlock } from '../../cli/values/chain.ts'
import { CommandError } from '../../cli/errors.ts'

/** The required blocks of a running node. */
export type RequiredBlocks = {
  /** Resolves to the reason when the chain gets another block than a required one. */
  readonly violated: Promise<string>
}

const mismatchText = ({ header, hash }: ChainHead, required: string): string =>
  `block ${header.number} is ${toHex(hash)}, but --required-blocks requires ${required}: this node follows another chain`

/**
 * Checks the chain against the required blocks, now and at each new block. @throws CommandError for a chain that has another
 * block
 */
export const watchRequiredBlocks = async (
  chain: Pick<Chain, 'head' | 'store' | 'onHead'>,
  texts: readonly string[],
): Promise<RequiredBlocks> => {
  const required = new Map(
    texts
      .map(parseRequiredBlock)
      .filter(block => block !== undefined)
      .map(({ number, hash }) => [number, hash] as const),
  )
  for (const [number, hash] of required) {
    if (number > chain.head().header.number) continue
    const found = await chain.store.chainHead(number)
    if (found !== undefined && toHex(found.hash) !== hash)
      throw new CommandError('START_FAILED', `Cannot start: ${mismatchText(found, hash)}`)
  }
  const { promise, resolve } = Promise.withResolvers<string>()
  if (required.size > 0)
    chain.onHead(head => {
      const hash = required.get(head.header.number)
      if (hash !== undefined && toHex(head.hash) !== hash) resolve(mismatchText(head, hash))
    })
  return { violated: promise }
}
