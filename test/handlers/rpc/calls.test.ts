import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { decodeFunctionResult } from 'viem'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain, SUPPLY } from '../support/sampleChain.ts'
import type { RpcReply } from '../support/testNode.ts'

// Its contracts are compiled first.
setDefaultTimeout(120_000)

let sample: Sample
const rpc = (method: string, ...params: readonly unknown[]): Promise<RpcReply> =>
  sample.node.rpc(method, ...params)

beforeAll(async () => {
  sample = await startSampleChain()
})
afterAll(() => sample.node.close())

/** eth_call of a function of one of the contracts, decoded. */
const view = async (
  contract: 'token' | 'failures',
  functionName: string,
  args: readonly unknown[] = [],
  more: readonly unknown[] = ['latest'],
  fields: object = {},
): Promise<unknown> => {
  const to = contract === 'token' ? sample.token : sample.failures
  const data = sample.encode(contract, functionName, args)
  const { result, error } = await rpc('eth_call', { from: DEPLOYER.address, to, data, ...fields }, ...more)
  if (error !== undefined) throw new Error(JSON.stringify(error))
  const abi = contract === 'token' ? sample.tokenAbi : sample.failuresAbi
  return decodeFunctionResult({ abi, functionName, data: result as `0x${string}` })
}

const balanceOf = (block: unknown): Promise<unknown> =>
  view('token', 'balanceOf', [RECEIVER.address], [block])

describe('given eth_call', () => {
  test('when it names a block, then it runs on the state of that block, by default of the latest', async () => {
    expect(await balanceOf('latest')).toBe(123n)
    expect(await balanceOf('pending')).toBe(123n)
    expect(await balanceOf('0x2')).toBe(123n)
    expect(await balanceOf('0x1')).toBe(0n)
    expect(await view('token', 'totalSupply', [], [])).toBe(SUPPLY)
  })

  test('when it names a block, then opcodes see that block', async () => {
    expect(await view('failures', 'blockNumber', [], ['0x4'])).toBe(4n)
    expect(await view('failures', 'blockNumber', [], ['latest'])).toBe(5n)
  })

  test('when it offers no price, then gas is free and the block has no fees', async () => {
    expect(await view('failures', 'caller')).toEqual([DEPLOYER.address, 0n, 0n])
    const priced = (await view('failures', 'caller', [], ['latest'], { gasPrice: '0x77359400' })) as bigint[]
    expect(priced[1]).toBe(2_000_000_000n)
    expect(priced[2]).toBeGreaterThan(0n)
  })

  test('when it writes, then nothing is kept', async () => {
    expect(await view('failures', 'count')).toBe(9n)
    expect(await view('failures', 'count')).toBe(9n)
    expect(await view('failures', 'counter')).toBe(8n)
  })

  test('when it has no recipient, then it creates a contract', async () => {
    const { result } = await rpc('eth_call', { data: '0x600160005360016000f3' }, 'latest')
    expect(result).toBe('0x01')
  })

  test('when the block does not exist, then it is null', async () => {
    expect(await rpc('eth_call', { to: sample.token }, '0x99')).toMatchObject({ result: null })
  })

  describe('and a call that fails', () => {
    const failing = (functionName: string, args: readonly unknown[] = [], fields: object = {}) =>
      rpc(
        'eth_call',
        {
          from: DEPLOYER.address,
          to: sample.failures,
          data: sample.encode('failures', functionName, args),
          ...fields,
        },
        'latest',
      )

    test('when it reverts with a reason, then the code is 3, with the reason in the text and the data beside it', async () => {
      const { error } = await failing('withReason')
      expect(error).toMatchObject({ code: 3, message: 'Execution reverted (no reason to go on)' })
      expect(error?.data).toStartWith('0x08c379a0')
    })

    test('when it reverts with a custom error or a panic, then it has the data alone', async () => {
      const custom = (await failing('withCustomError', [42n])).error
      expect(custom).toMatchObject({ code: 3, message: 'Execution reverted' })
      expect(custom?.data).toEndWith('2a')
      const panic = (await failing('withPanic', [0n])).error
      expect(panic).toMatchObject({ code: 3, message: 'Execution reverted' })
      expect(panic?.data).toStartWith('0x4e487b71')
    })

    test('when it reverts without data, then the data are empty', async () => {
      expect((await failing('withNothing')).error).toEqual({
        code: 3,
        message: 'Execution reverted',
        data: '0x',
      })
    })

    test('when the reason is malformed, then the text says so', async () => {
      // Error(string) whose string begins behind its end.
      const data = `0x08c379a0${'ff'.repeat(32)}`
      const code = `0x6024600c60003960246000fd${data.slice(2)}`
      const { error } = await rpc('eth_call', { to: sample.token }, 'latest', { [sample.token]: { code } })
      expect(error).toEqual({ code: 3, message: 'Execution reverted (ABI decode error)', data })
    })

    test('when it halts, then the text has the halt reason', async () => {
      const halted = (reason: string) => ({
        code: -32000,
        message: `Transaction processing could not be completed due to an exception (${reason})`,
      })
      expect((await failing('withBadInstruction')).error).toEqual(halted('Invalid opcode: 0xfe'))
      expect((await failing('withoutEnd', [], { gas: '0x30000' })).error).toEqual(halted('Out of gas'))
    })

    test('when the nonce is used already, then it is ignored: clients keep a nonce for a while', async () => {
      const call = { from: DEPLOYER.address, to: RECEIVER.address, nonce: '0x1' }
      expect(await rpc('eth_call', call, 'latest')).toMatchObject({ result: '0x' })
      expect(await rpc('eth_estimateGas', call)).toMatchObject({ result: '0x5208' })
      expect(await rpc('eth_createAccessList', call)).toMatchObject({ result: { accessList: [] } })
    })

    test('when gas, price or balance are wrong, then the text has the numbers', async () => {
      const base = { from: RECEIVER.address, to: sample.token }
      const errorOf = async (fields: object) =>
        (await rpc('eth_call', { ...base, ...fields }, 'latest')).error
      expect(await errorOf({ gas: '0x5207' })).toEqual({
        code: -32003,
        message: 'Intrinsic gas exceeds gas limit (intrinsic gas cost 21000 exceeds gas limit 20999)',
      })
      expect(await errorOf({ gasPrice: '0x1' })).toEqual({
        code: -32009,
        message: 'Gas price below current base fee (gasPrice is less than the current BaseFee)',
        data: expect.stringMatching(/^the gas price is 1 wei, the base fee \d+ wei$/),
      })
      expect(await errorOf({ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' })).toMatchObject({
        code: -32000,
      })
      expect(await errorOf({ chainId: '0x1' })).toEqual({
        code: -32000,
        message: 'Wrong chainId',
        data: 'the call is for chain 1, this is chain 1337',
      })
      const price = '0x100000000000000000'
      expect(await errorOf({ gasPrice: price, gas: '0x5208' })).toEqual({
        code: -32004,
        message:
          `Upfront cost exceeds account balance (transaction up-front cost 0x520800000000000000000 exceeds transaction sender account balance 0x21e19e0c9bab2400005 for sender ${RECEIVER.address.toLowerCase()})`.replace(
            '0x520800000000000000000',
            `0x${(BigInt(price) * 21_000n).toString(16)}`,
          ),
      })
    })

    test('when the balance is too low, then the value is always checked, and a price unless `strict` waives it', async () => {
      const base = { from: `0x${'99'.repeat(20)}`, to: RECEIVER.address }
      const price = { gasPrice: '0x77359400' }
      const outcome = async (call: object) => {
        const { result, error } = await rpc('eth_call', { ...base, ...call }, 'latest')
        return error?.code ?? result
      }
      expect(await outcome({})).toBe('0x')
      expect(await outcome({ strict: true })).toBe('0x')
      expect(await outcome({ value: '0x1' })).toBe(-32004)
      expect(await outcome({ value: '0x1', strict: false })).toBe(-32004)
      expect(await outcome(price)).toBe(-32004)
      expect(await outcome({ ...price, strict: false })).toBe('0x')
    })
  })

  describe('and state overrides', () => {
    const override = (overrides: object) => ['latest', overrides]

    test('when they set balance, nonce and code, then the call sees them', async () => {
      // Returns the balance of the caller.
      const code = '0x333160005260206000f3'
      const { result } = await rpc(
        'eth_call',
        { from: `0x${'99'.repeat(20)}`, to: sample.token, gasPrice: '0x77359400' },
        'latest',
        {
          [sample.token]: { code },
          [`0x${'99'.repeat(20)}`]: { balance: '0xde0b6b3a7640000', nonce: '0x5' },
        },
      )
      expect(BigInt(result as string)).toBeGreaterThan(0n)
    })

    test('when they set slots, then they replace single slots, or the whole storage', async () => {
      const slot = `0x${'00'.repeat(32)}`
      const value = `0x${'00'.repeat(31)}2a`
      expect(
        await view(
          'failures',
          'counter',
          [],
          override({ [sample.failures]: { stateDiff: { [slot]: value } } }),
        ),
      ).toBe(42n)
      expect(await view('failures', 'counter', [], override({ [sample.failures]: { state: {} } }))).toBe(0n)
      expect(await view('failures', 'counter')).toBe(8n)
    })

    const IDENTITY = `0x${'00'.repeat(19)}04`

    test('when they move precompiles, then those run there, and code in their place', async () => {
      const to = `0x${'12'.repeat(20)}`
      const answers = async (callee: string, overrides: object) =>
        (await rpc('eth_call', { to: callee, data: '0x1234' }, 'latest', overrides)).result
      const move = { [IDENTITY]: { movePrecompileToAddress: to } }
      expect(await answers(to, {})).toBe('0x')
      expect(await answers(to, move)).toBe('0x1234')
      expect(await answers(IDENTITY, move)).toBe('0x')
      // Returns one byte of zero.
      const replace = { [IDENTITY]: { code: '0x60016000f3' } }
      expect(await answers(IDENTITY, replace)).toBe('0x00')
      expect(await answers(IDENTITY, {})).toBe('0x1234')
    })

    test('when they move an account that is not a precompile, or to an overridden account, then they are refused', async () => {
      const error = async (overrides: object) =>
        (await rpc('eth_call', { to: sample.token }, 'latest', overrides)).error?.code
      expect(await error({ [sample.token]: { movePrecompileToAddress: IDENTITY } })).toBe(-32000)
      expect(await error({ [IDENTITY]: { movePrecompileToAddress: IDENTITY } })).toBe(-38022)
      const taken = {
        [IDENTITY]: { movePrecompileToAddress: sample.token },
        [sample.token]: { nonce: '0x1' },
      }
      expect(await error(taken)).toBe(-32000)
    })
  })

  describe('and block overrides', () => {
    // Returns what the opcode pushes.
    const pushed = async (opcode: string, overrides: unknown, call: object = {}): Promise<RpcReply> =>
      rpc(
        'eth_call',
        { to: sample.token, ...call },
        'latest',
        { [sample.token]: { code: `0x${opcode}60005260206000f3` } },
        overrides,
      )
    const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

    test('when they set number, time, limit, fees, recipient and randomness, then opcodes see them', async () => {
      const overrides = {
        number: '0x77',
        time: '0x7fffffff',
        gasLimit: '0x123456789',
        feeRecipient: `0x${'ab'.repeat(20)}`,
        prevRandao: '0x5',
        baseFeePerGas: '0x6',
        blobBaseFee: '0x7',
      }
      expect((await pushed('43', overrides)).result).toBe(word(0x77n))
      expect((await pushed('42', overrides)).result).toBe(word(0x7fffffffn))
      expect((await pushed('45', overrides)).result).toBe(word(0x123456789n))
      expect((await pushed('41', overrides)).result).toBe(word(BigInt(`0x${'ab'.repeat(20)}`)))
      expect((await pushed('44', overrides)).result).toBe(word(5n))
      const price = { maxFeePerGas: '0x9', maxFeePerBlobGas: '0x9', from: DEPLOYER.address }
      expect((await pushed('48', overrides, price)).result).toBe(word(6n))
      expect((await pushed('4a', overrides, price)).result).toBe(word(7n))
      expect((await pushed('43', {})).result).toBe(word(sample.node.chain.head().header.number))
    })

    test('when no call can observe them, then they are refused', async () => {
      for (const overrides of [{ withdrawals: [] }, { number: 'x' }, { time: '0x10000000000000000' }, 7])
        expect((await pushed('43', overrides)).error?.code).toBe(-32602)
    })

    test('when estimates and access lists have them, then they apply there, too', async () => {
      const block = ['latest', {}, { number: 'x' }]
      for (const method of ['eth_estimateGas', 'eth_createAccessList'])
        expect((await rpc(method, { to: sample.token }, ...block)).error?.code).toBe(-32602)
    })
  })
})

describe('given eth_estimateGas', () => {
  const estimate = async (call: object, ...more: readonly unknown[]): Promise<bigint> => {
    const { result, error } = await rpc('eth_estimateGas', { from: DEPLOYER.address, ...call }, ...more)
    if (error !== undefined) throw new Error(JSON.stringify(error))
    return BigInt(result as string)
  }

  test('when it is a transfer, then it is 21000, whatever gas is named', async () => {
    expect(await estimate({ to: RECEIVER.address, value: '0x1' })).toBe(21_000n)
    expect(await estimate({ to: RECEIVER.address, value: '0x1', gas: '0x1' })).toBe(21_000n)
    expect(await estimate({ to: RECEIVER.address, nonce: '0x29' }, 'earliest')).toBe(21_000n)
  })

  test('when callees keep gas back, then the estimate suffices and is hardly larger', async () => {
    const data = sample.encode('failures', 'deep', [20n])
    const gas = await estimate({ to: sample.failures, data })
    const run = async (limit: bigint) =>
      (await rpc('eth_call', { to: sample.failures, data, gas: `0x${limit.toString(16)}` }, 'latest')).error
    expect(await run(gas)).toBeUndefined()
    expect(await run((gas * 97n) / 100n)).toBeDefined()
  })

  test('when it is a creation, then the estimate suffices', async () => {
    const { transactions } = (await sample.node.call('eth_getBlockByNumber', '0x3', true)) as {
      transactions: { input: string }[]
    }
    const { gasUsed } = (await sample.node.call('eth_getTransactionReceipt', sample.hashes[2]?.[0])) as {
      gasUsed: string
    }
    const gas = await estimate({ data: transactions[0]?.input })
    expect(gas).toBeGreaterThanOrEqual(BigInt(gasUsed))
    expect(gas).toBeLessThan((BigInt(gasUsed) * 102n) / 100n)
  })

  test('when the call fails, then so does the estimate', async () => {
    const call = {
      from: DEPLOYER.address,
      to: sample.failures,
      data: sample.encode('failures', 'withReason'),
    }
    expect((await rpc('eth_estimateGas', call)).error).toMatchObject({
      code: 3,
      message: 'Execution reverted (no reason to go on)',
    })
    const poor = { from: `0x${'99'.repeat(20)}`, to: RECEIVER.address, value: '0x1' }
    expect((await rpc('eth_estimateGas', poor)).error?.code).toBe(-32004)
    expect((await rpc('eth_estimateGas', call, '0x99')).error).toEqual({
      code: -32000,
      message: 'Block not found',
    })
  })

  test('when the sender can pay for less, then that is the limit', async () => {
    const poor = `0x${'99'.repeat(20)}`
    const call = {
      from: poor,
      to: sample.failures,
      data: sample.encode('failures', 'count'),
      gasPrice: '0x77359400',
    }
    const rich = { [poor]: { balance: `0x${(2_000_000_000n * 60_000n).toString(16)}` } }
    expect((await rpc('eth_estimateGas', call, 'latest', rich)).result).toBeString()
    const broke = { [poor]: { balance: `0x${(2_000_000_000n * 22_000n).toString(16)}` } }
    expect((await rpc('eth_estimateGas', call, 'latest', broke)).error).toBeDefined()
  })
})

describe('given eth_createAccessList', () => {
  test('when a call accesses slots, then the list has them, with the gas that it then costs', async () => {
    const data = sample.encode('token', 'transfer', [`0x${'99'.repeat(20)}`, 1n])
    const call = { from: DEPLOYER.address, to: sample.token, data }
    const { result } = await rpc('eth_createAccessList', call)
    const { accessList, gasUsed } = result as {
      accessList: { address: string; storageKeys: string[] }[]
      gasUsed: string
    }
    expect(accessList).toEqual([{ address: sample.token, storageKeys: expect.any(Array) }])
    expect(accessList[0]?.storageKeys).toHaveLength(2)
    const estimate = await rpc('eth_estimateGas', { ...call, accessList })
    expect(BigInt(estimate.result as string)).toBeGreaterThanOrEqual(BigInt(gasUsed))
  })

  test('when accounts are warm anyway, then the list leaves them out', async () => {
    const call = { from: DEPLOYER.address, to: RECEIVER.address, value: '0x1' }
    expect((await rpc('eth_createAccessList', call, 'latest')).result).toEqual({
      accessList: [],
      gasUsed: '0x5208',
    })
  })

  test('when other accounts are read, then the list has them', async () => {
    const other = `0x${'77'.repeat(20)}`
    // Looks at the balance of `other`.
    const code = `0x73${'77'.repeat(20)}31600052596000f3`
    const { result } = await rpc('eth_createAccessList', { to: sample.token }, 'latest', {
      [sample.token]: { code },
    })
    expect(result).toMatchObject({ accessList: [{ address: other, storageKeys: [] }] })
  })

  test('when the call fails, then the answer says so', async () => {
    const call = { to: sample.failures, data: sample.encode('failures', 'withReason') }
    expect((await rpc('eth_createAccessList', call)).result).toMatchObject({ error: 'execution reverted' })
  })
})
