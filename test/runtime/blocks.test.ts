import { describe, expect } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitBlocks } from '../../core/block/codec/blockStream.ts'
import { encodeBlock } from '../../core/block/codec/block.ts'
import { genesisBlock } from '../../core/genesis/genesisBlock.ts'
import { parseGenesisText } from '../../core/genesis/parse/parse.ts'
import { withFolder } from './folder.ts'
import { genesisText, writeNetwork } from './genesis.ts'
import { runCommand, startNode } from './nodeProcess.ts'
import { clientsOf } from './transactions.ts'
import { independent as test } from '../support/scenario.ts'

const BLOCKS = 6

/** A chain of a few blocks with transactions, exported; gives its network's options, the file and the head's hash. */
const exportedChain = async (
  folder: string,
): Promise<{ network: readonly string[]; file: string; hash: string }> => {
  const network = writeNetwork(folder, {
    qbft: { xblockperiodmilliseconds: 20, xemptyblockperiodseconds: 2_000_000_000 },
  })
  const [genesis] = network as readonly [string, string]
  const source = join(folder, 'source')
  const node = await startNode(source, [...network, '--rpc-http-enabled'])
  const { wallet, reader } = clientsOf(node.url, 4242)
  for (let i = 1; i <= BLOCKS; i++) {
    const hash = await wallet.sendTransaction({
      to: '0x00000000000000000000000000000000000000ff',
      value: BigInt(i),
    })
    await reader.waitForTransactionReceipt({ hash })
  }
  const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  await node.stop()
  const file = join(folder, 'chain.rlp')
  const { code, out, error } = await runCommand([
    'blocks',
    'export',
    genesis,
    `--data-path=${source}`,
    `--to=${file}`,
  ])
  expect([code, error]).toEqual([0, ''])
  expect(out).toMatch(new RegExp(`^Exported ${BLOCKS + 1} blocks \\(0 to ${BLOCKS}\\) to `))
  return { network: [genesis], file, hash }
}

/** Where each block of the file begins. */
const offsetsOf = async (file: string): Promise<readonly number[]> => {
  const offsets: number[] = []
  for await (const { offset } of splitBlocks([readFileSync(file)])) offsets.push(offset)
  return offsets
}

describe('given an exported chain', () => {
  test('then it is imported, resumed and taken in parts, and a corrupt file is refused', () =>
    withFolder(async folder => {
      const { network, file, hash } = await exportedChain(folder)
      const target = (name: string): readonly string[] => [...network, `--data-path=${join(folder, name)}`]
      const offsets = await offsetsOf(file)

      // Whole, then again: nothing is imported twice.
      const whole = await runCommand(['blocks', 'import', ...target('whole'), `--from=${file}`])
      expect([whole.code, whole.error]).toEqual([0, ''])
      expect(whole.out).toContain(
        `Imported ${BLOCKS} blocks with ${BLOCKS} transactions and ${21_000 * BLOCKS} gas`,
      )
      expect(whole.out).toContain(`The head is block ${BLOCKS} (${hash})`)
      const again = await runCommand(['blocks', 'import', ...target('whole'), file])
      expect(again.out).toContain(`${BLOCKS + 1} were there already`)

      // The copy of a copy is the same file.
      const copy = join(folder, 'copy.rlp')
      await runCommand(['blocks', 'export', ...target('whole'), `--to=${copy}`])
      expect(readFileSync(copy).equals(readFileSync(file))).toBe(true)
      const part = join(folder, 'part.rlp')
      await runCommand([
        'blocks',
        'export',
        ...target('whole'),
        `--to=${part}`,
        '--start-block=2',
        '--end-block=4',
      ])
      expect(readFileSync(part).equals(readFileSync(file).subarray(offsets[2], offsets[4]))).toBe(true)

      // In parts.
      const first = await runCommand([
        'blocks',
        'import',
        ...target('parts'),
        `--from=${file}`,
        '--end-block=3',
      ])
      expect(first.out).toContain('The head is block 2 ')
      const rest = await runCommand([
        'blocks',
        'import',
        ...target('parts'),
        `--from=${file}`,
        '--start-block=3',
      ])
      expect(rest.out).toContain(`The head is block ${BLOCKS} (${hash})`)

      // Corrupt: a bit in the third block, then a file that ends within the fourth.
      const bytes = readFileSync(file)
      const flipped = Buffer.from(bytes)
      const inside = (offsets[3] as number) + 50
      flipped[inside] = (flipped[inside] as number) ^ 1
      const bad = join(folder, 'bad.rlp')
      writeFileSync(bad, flipped)
      const refused = await runCommand(['blocks', 'import', ...target('bad'), `--from=${bad}`])
      expect(refused.code).toBe(1)
      expect(refused.error).toStartWith(`${bad}, byte ${offsets[3]}`)
      expect(refused.error).toContain('The chain is kept up to block 2.')
      expect(refused.error.trimEnd()).not.toContain('\n')
      writeFileSync(bad, bytes.subarray(0, (offsets[4] as number) + 10))
      const cut = await runCommand(['blocks', 'import', ...target('bad'), `--from=${bad}`])
      expect(cut.code).toBe(1)
      expect(cut.error).toContain('ends within the block at byte')
      expect(cut.error).toContain('The chain is kept up to block 3.')
      const mended = await runCommand(['blocks', 'import', ...target('bad'), `--from=${file}`])
      expect(mended.out).toContain(`The head is block ${BLOCKS} (${hash})`)

      // Not a chain at all, of another chain, not there.
      const garbage = await runCommand(['blocks', 'import', ...target('bad'), '--from=package.json'])
      expect([garbage.code, garbage.error]).toEqual([
        1,
        `package.json: byte 0: a block must be an RLP list. The chain is kept up to block ${BLOCKS}.\n`,
      ])
      const missing = await runCommand(['blocks', 'import', ...target('none'), '--from=nowhere.rlp'])
      expect([missing.code, missing.error]).toEqual([1, 'Cannot import nowhere.rlp: there is no such file\n'])
      const mistyped = await runCommand(['blocks', 'export', ...target('none'), `--to=${copy}`])
      expect([mistyped.code, mistyped.error.includes('none has no chain')]).toEqual([1, true])
      expect(existsSync(join(folder, 'none'))).toBe(false)

      // An export that cannot be finished leaves nothing.
      const beyond = await runCommand([
        'blocks',
        'export',
        ...target('whole'),
        `--to=${join(folder, 'x.rlp')}`,
        '--start-block=100',
      ])
      expect([beyond.code, beyond.error.split('\n')[0]]).toEqual([
        2,
        `The block range is empty: --start-block 100 must be below --end-block ${BLOCKS + 1} and the end of the chain (${BLOCKS + 1})`,
      ])
      const nowhere = await runCommand([
        'blocks',
        'export',
        ...target('whole'),
        `--to=${join(folder, 'no/such/folder.rlp')}`,
      ])
      expect(nowhere.code).toBe(1)
      expect(nowhere.error).toMatch(/^Cannot write .*folder\.rlp: its folder does not exist\n$/)
      expect(readdirSync(folder).filter(name => /\.part$|x\.rlp/.test(name))).toEqual([])
    }))

  test('then a chain with another genesis refuses it', () =>
    withFolder(async folder => {
      const { file } = await exportedChain(folder)
      const other = writeNetwork(folder, { config: { chainId: 9 }, top: { timestamp: '0x5' } })
      const { code, error } = await runCommand([
        'blocks',
        'import',
        other[0] as string,
        `--data-path=${join(folder, 'other')}`,
        `--from=${file}`,
      ])
      expect(code).toBe(1)
      expect(error).toMatch(
        /^.*chain\.rlp, byte 0, block 0: the file belongs to another chain: its genesis block is 0x[0-9a-f]{64}, the genesis file's is 0x[0-9a-f]{64}/,
      )
    }))
})

describe("given GoQuorum's blocks and its genesis file with londonBlock, which GoQuorum ignores", () => {
  test('then the import says to leave that entry out', () =>
    withFolder(async folder => {
      const file = join(folder, 'chain.rlp')
      const withoutLondon = parseGenesisText(genesisText({ config: { londonBlock: undefined } }))
      writeFileSync(file, encodeBlock(genesisBlock(withoutLondon, new Uint8Array(32))))
      const { code, error } = await runCommand([
        'blocks',
        'import',
        writeNetwork(folder, {})[0] as string,
        `--data-path=${join(folder, 'target')}`,
        `--from=${file}`,
      ])
      expect(code).toBe(1)
      expect(error).toContain('GoQuorum ignores that entry, so leave it and the forks after it out')
    }))
})
