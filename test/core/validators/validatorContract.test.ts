import { describe, expect, test } from 'bun:test'
import { encodeAbiParameters, toFunctionSelector } from 'viem'
import { fromHex, toBareHex, toHex } from '../../../core/bytes/hex.ts'
import {
  contractValidators,
  decodeValidators,
  GET_VALIDATORS_CALL_DATA,
  ValidatorContractError,
  type ValidatorCallResult,
} from '../../../core/validators/validatorContract.ts'

const CONTRACT = fromHex('0000000000000000000000000000000000008888')
const V1 = 'e98d92560fac3069ccff53ef348ded26a51d4b68'
const V2 = 'eac51e3fe1afc9894f0dfeab8ceb471899b932df'
const word = (digits: string): string => digits.padStart(64, '0')
const decode = (...words: readonly string[]): string[] =>
  decodeValidators(fromHex(words.join(''))).map(toBareHex)

const codeOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(ValidatorContractError)
    return (error as ValidatorContractError).code
  }
  throw new Error('the result was taken')
}

describe('given getValidators()', () => {
  test('when it is called, then its call data are the selector', () => {
    expect(toHex(GET_VALIDATORS_CALL_DATA)).toBe(toFunctionSelector('getValidators()'))
  })

  test('when the contract answers, then the result is sorted', () => {
    const abi = encodeAbiParameters([{ type: 'address[]' }], [[`0x${V2}`, `0x${V1}`]])
    const validators = contractValidators(CONTRACT, (contract, data) => {
      expect(contract).toEqual(CONTRACT)
      expect(data).toEqual(GET_VALIDATORS_CALL_DATA)
      return { success: true, output: fromHex(abi) }
    })
    expect(validators.map(toBareHex)).toEqual([V1, V2])
  })

  const failures: readonly (readonly [string, ValidatorCallResult, string])[] = [
    ['state that is not there', undefined, 'Failed validator smart contract call'],
    [
      'a call that reverted',
      { success: false, reason: 'Execution reverted' },
      'Failed validator smart contract call: Execution reverted',
    ],
    [
      'an address without code',
      { success: true, output: new Uint8Array(0) },
      'Unexpected empty result from validator smart contract call',
    ],
  ]
  for (const [name, result, text] of failures)
    test(`when it answers with ${name}, then the error has Besu's text`, () => {
      expect(() => contractValidators(CONTRACT, () => result)).toThrow(text)
    })

  test('when no address is configured, then it fails without a call', () => {
    const call = (): never => {
      throw new Error('called')
    }
    expect(() => contractValidators(undefined, call)).toThrow(
      'Error resolving smart contract address unable to make validator contract call',
    )
  })
})

describe('given decodeValidators', () => {
  test('when the published result is read, then it has one validator', () => {
    expect(decode(word('20'), word('1'), word(V2))).toEqual([V2])
  })

  test('when entries repeat or have upper or trailing bytes, then they stay, and extra bytes are ignored', () => {
    expect(decode(word('20'), word('2'), word(V1), word(V1))).toEqual([V1, V1])
    expect(decode(word('20'), word('1'), 'ff'.repeat(12) + V2, word('9'))).toEqual([V2])
    expect(decode(word('20'), word('0'))).toEqual([])
  })

  test('when an offset or a length points outside, then it is refused', () => {
    for (const words of [
      [word('20')],
      [word('20'), word('2'), word(V1)],
      [word('ff'), word('1'), word(V1)],
      ['ff'.repeat(32), word('1'), word(V1)],
      [word('20'), 'ff'.repeat(32), word(V1)],
      ['00'],
    ])
      expect(codeOf(() => decode(...words))).toBe('INVALID_RESULT')
  })
})
