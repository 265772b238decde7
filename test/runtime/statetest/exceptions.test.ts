import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runStateTests } from '../../../runtime/commands/statetest/statetest.ts'
import { isExpected } from '../../../runtime/statetest/exceptions.ts'
import { withFolder } from '../folder.ts'

describe('given the expected error of a test file', () => {
  test.each([
    ['TR_NoFunds', 'INSUFFICIENT_FUNDS'],
    ['TR_NoFundsX', 'UPFRONT_COST_OVERFLOW'],
    ['TR_NoFundsOrGas', 'INTRINSIC_GAS'],
    ['TR_IntrinsicGas', 'INTRINSIC_GAS'],
    ['IntrinsicGas', 'INTRINSIC_GAS'],
    ['TR_GasLimitReached', 'GAS_ABOVE_BLOCK_LIMIT'],
    ['TR_FeeCapLessThanBlocks', 'FEE_BELOW_BASE_FEE'],
    ['lowFeeCap', 'FEE_BELOW_BASE_FEE'],
    ['TR_FeeCapLessThanBlocksORNoFunds', 'INSUFFICIENT_FUNDS'],
    ['TR_FeeCapLessThanBlocksORGasLimitReached', 'GAS_ABOVE_BLOCK_LIMIT'],
    ['TR_TipGtFeeCap', 'PRIORITY_FEE_ABOVE_MAX_FEE'],
    ['tipTooHigh', 'PRIORITY_FEE_ABOVE_MAX_FEE'],
    ['TR_NonceHasMaxValue', 'NONCE_OVERFLOW'],
    ['TR_NonceTooHigh', 'NONCE_TOO_HIGH'],
    ['TR_NonceTooLow', 'NONCE_TOO_LOW'],
    ['SenderNotEOA', 'SENDER_NOT_EOA'],
    ['TR_InitCodeLimitExceeded', 'INITCODE_TOO_LARGE'],
    ['TR_TypeNotSupported', 'TYPE_NOT_SUPPORTED'],
    ['TR_RLP_WRONGVALUE', 'INVALID_TRANSACTION'],
    ['TR_BLOBCREATE', 'BLOB_CREATES_CONTRACT'],
    ['TR_EMPTYBLOB', 'NO_BLOBS'],
    ['TR_BLOBLIST_OVERSIZE', 'TOO_MANY_BLOBS'],
    ['TR_BLOBVERSION_INVALID', 'BLOB_VERSION'],
    ['TransactionException.INSUFFICIENT_ACCOUNT_FUNDS', 'INSUFFICIENT_FUNDS'],
    ['TR_NonceTooLow|TR_NoFunds', 'INSUFFICIENT_FUNDS'],
  ])('when it is %s, then it means %s', (name, code) => {
    expect(isExpected(name, code)).toBe(true)
    expect(isExpected(name, 'SET_CODE_CREATES_CONTRACT')).toBe(false)
  })

  test('when it is compared with the run, then any of its names counts', async () => {
    const fixture = (hash: string, expectException: string) => ({
      poor: {
        env: {
          currentCoinbase: `0x${'c0'.repeat(20)}`,
          currentGasLimit: '0x989680',
          currentNumber: '0x1',
          currentTimestamp: '0x3e8',
          currentDifficulty: '0x20000',
        },
        pre: {},
        transaction: {
          data: ['0x'],
          gasLimit: ['0x5208'],
          gasPrice: '0x0a',
          nonce: '0x00',
          secretKey: `0x${'45'.repeat(32)}`,
          to: `0x${'aa'.repeat(20)}`,
          value: ['0x0'],
        },
        post: {
          Berlin: [
            {
              expectException,
              hash,
              indexes: { data: 0, gas: 0, value: 0 },
              // keccak256 of the RLP of an empty list.
              logs: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
            },
          ],
        },
      },
    })
    await withFolder(async folder => {
      const file = join(folder, 'poor.json')
      const run = async (hash: string, name: string) => {
        writeFileSync(file, JSON.stringify(fixture(hash, name)))
        const lines: string[] = []
        await runStateTests([file], { json: true, write: line => lines.push(line) })
        return JSON.parse(lines[0] as string) as { pass: boolean; stateRoot: string; error?: string }
      }
      const { stateRoot } = await run('0x', 'TR_NoFunds')
      for (const name of ['TR_NoFunds', 'TransactionException.INSUFFICIENT_ACCOUNT_FUNDS'])
        expect(await run(stateRoot, name)).toMatchObject({ pass: true })
      expect((await run(stateRoot, 'TR_NonceTooLow')).error).toBe(
        'was refused for INSUFFICIENT_FUNDS, expected TR_NonceTooLow',
      )
    })
  })
})
