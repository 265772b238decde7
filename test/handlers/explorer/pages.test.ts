import { describe, expect, test } from 'bun:test'
import { inputOf } from '../../../handlers/explorer/app/abi/input.ts'
import { parseAbiText } from '../../../handlers/explorer/app/abi/parse.ts'
import { selectorTable } from '../../../handlers/explorer/app/abi/selectors.ts'
import { STANDARD_ABI } from '../../../handlers/explorer/app/abi/standards.ts'
import { consensusOf, signersOf } from '../../../handlers/explorer/app/chain/consensus.ts'
import {
  formatEther,
  formatGasPrice,
  formatInteger,
  formatRoundGasPrice,
  formatShare,
  formatUnits,
} from '../../../handlers/explorer/app/format/quantity.ts'
import { visibleParts } from '../../../handlers/explorer/app/format/text.ts'
import { formatAge, formatUtc, millisecondsOf } from '../../../handlers/explorer/app/format/time.ts'
import type { RpcBlock } from '../../../handlers/explorer/app/rpc/types.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { startTestNode, VALIDATOR } from '../support/testNode.ts'

/** Thousands are separated by narrow spaces. */
const spaced = (text: string): string => text.replaceAll(' ', '\u202f')

const shown = (text: string): string =>
  visibleParts(text)
    .map(part => (part.isControl ? `[${part.text}]` : part.text))
    .join('')

describe('given numbers of the chain', () => {
  test('when they are large, then every digit is shown', () => {
    expect(formatInteger(2n ** 64n + 1n)).toBe(spaced('18 446 744 073 709 551 617'))
    expect(formatInteger(-1234)).toBe(spaced('−1 234'))
    expect(formatUnits(2n ** 255n, 18)).toBe(
      spaced(
        '57 896 044 618 658 097 711 785 492 504 343 953 926 634 992 332 820 282 019 728.792003956564819968',
      ),
    )
    expect(formatEther(1n)).toBe('0.000000000000000001 ETH')
    expect(formatUnits(-15n, 1)).toBe('−1.5')
    expect(formatUnits(7n, 0)).toBe('7')
  })

  test('when they are prices and shares, then a small one is not shown as nothing', () => {
    expect([formatGasPrice(7n), formatGasPrice(1_000_000_001n)]).toEqual(['7 wei', '1.000000001 gwei'])
    expect([formatRoundGasPrice(670_189_871n), formatRoundGasPrice(7n), formatRoundGasPrice(0n)]).toEqual([
      '0.6702 gwei',
      '7 wei',
      '0 wei',
    ])
    expect([formatShare(1n, 1_000_000n), formatShare(0n, 5n), formatShare(1n, 2n)]).toEqual([
      '< 0.1 %',
      '0 %',
      '50 %',
    ])
  })

  test('when a time is beyond the range of a date, then there is none', () => {
    expect(millisecondsOf(2n ** 64n)).toBeUndefined()
    expect(formatUtc(0)).toBe('1970-01-01 00:00:00 UTC')
    expect([300, 61_000, -5_000, 4e11].map(formatAge)).toEqual(['now', '1 min ago', 'in 5 s', '12 years ago'])
  })
})

describe('given a text from the chain', () => {
  test.each([
    ['a\u202egnp.exe', 'a[U+202E]gnp.exe'],
    ['\u2066USDC\u2069', '[U+2066]USDC[U+2069]'],
    ['US\u200bDC', 'US[U+200B]DC'],
    ['two\nlines\0', 'two[U+000A]lines[U+0000]'],
    ['\u{e0041}tag', '[U+E0041]tag'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['Ünïcödé 漢字 عربى 🙂', 'Ünïcödé 漢字 عربى 🙂'],
  ])('when %j is shown, then each invisible character has its name', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  test('when it is long, then its beginning is shown, and its length', () => {
    expect(shown('a'.repeat(5_000))).toBe(`${'a'.repeat(200)}[… 5000 characters]`)
  })
})

describe('given what a person wrote for a parameter', () => {
  test.each([
    ['uint256', '12', 12n],
    ['uint256', '0x0c', 12n],
    ['int8', '-3', -3n],
    ['bool', 'true', true],
    ['bytes', '0x12ab', '0x12ab'],
    ['string', ' as it is ', ' as it is '],
    ['uint256[]', '["18446744073709551617", 2]', [18_446_744_073_709_551_617n, 2n]],
  ])('when it is a %s in %j, then it is a value', (type, text, value) => {
    expect(inputOf({ type, name: 'x' }, text)).toEqual(value)
  })

  test('when it is a tuple, then its values have their names', () => {
    const components = [
      { type: 'address', name: 'to' },
      { type: 'uint256[2]', name: 'amounts' },
    ]
    expect(inputOf({ type: 'tuple', name: 'x', components }, `["0x${'aB'.repeat(20)}", [1, 2]]`)).toEqual({
      to: `0x${'ab'.repeat(20)}`,
      amounts: [1n, 2n],
    })
  })

  test.each([
    ['uint256', '1.5'],
    ['uint256', ''],
    ['uint256[]', '[9007199254740993]'],
    ['address', '0x12'],
    ['bytes', '0x1'],
    ['bool', 'yes'],
    ['uint256[]', '[1'],
  ])('when it is no %s, as %j, then the reason is given', (type, text) => {
    expect(() => inputOf({ type, name: 'x' }, text)).toThrow(/A value of type/)
  })
})

describe('given the standards of tokens', () => {
  test('when their selectors are computed, then they are the known ones', () => {
    const table = selectorTable(STANDARD_ABI)
    const namesOf = (selector: string) => table.get(selector)?.map(({ name }) => name)
    expect(namesOf('function 0xa9059cbb')).toEqual(['transfer'])
    expect(namesOf('error 0x08c379a0')).toEqual(['Error'])
    expect(namesOf('error 0x4e487b71')).toEqual(['Panic'])
    expect(namesOf('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')).toEqual([
      'Transfer',
      'Transfer',
    ])
  })
})

describe('given a block of JSON-RPC', () => {
  test('when its seals are recovered in the page, then they are those of its validators', async () => {
    const node = await startTestNode()
    try {
      await node.mineEmpty()
      const block = (await node.call('eth_getBlockByNumber', '0x1', false)) as RpcBlock
      expect(consensusOf(block)).toMatchObject({ round: 0, validators: [toHex(VALIDATOR)], vote: undefined })
      expect(await signersOf(block)).toEqual([toHex(VALIDATOR) as `0x${string}`])
      expect(consensusOf({ extraData: '0x1234' })).toBeUndefined()
    } finally {
      await node.close()
    }
  })
})

describe('given a text that somebody gives as an ABI', () => {
  const nested = `${'{"type":"tuple","components":['.repeat(500)}${']}'.repeat(500)}`
  test.each([
    ['no JSON', 'nothing', 'This is not JSON'],
    ['longer than a browser keeps', `[${' '.repeat(1_000_000)}]`, 'at most 1000000 characters'],
    ['no list', '{"abi":5}', 'it is a list of functions'],
    ['a list of nothing', '[null]', 'item 1 is not an object'],
    ['a function without a name', '[{"type":"function"}]', 'the name of item 1 is not a text'],
    ['a function whose inputs are no list', '[{"type":"function","name":"f","inputs":{}}]', 'is not a list'],
    ['a parameter without a type', '[{"type":"event","name":"E","inputs":[{}]}]', 'parameter 1 of item 1'],
    ['a tuple of five hundred tuples', `[{"type":"error","name":"E","inputs":[${nested}]}]`, 'is too long'],
  ])('when it is %s, then the reason is given', (_, text, reason) => {
    expect(() => parseAbiText(text)).toThrow(reason)
  })

  test('when it is of an early compiler, then its functions have what later ones write', () => {
    const early = [
      { constant: true, name: 'get', inputs: [], outputs: [{ name: '', type: 'uint256' }] },
      { type: 'function', name: 'pay', payable: true },
      { type: 'fallback' },
    ]
    expect(parseAbiText(JSON.stringify({ abi: early }))).toEqual([
      {
        type: 'function',
        name: 'get',
        inputs: [],
        outputs: [{ name: '', type: 'uint256' }],
        stateMutability: 'view',
      },
      { type: 'function', name: 'pay', inputs: [], outputs: [], stateMutability: 'payable' },
    ])
  })
})
