// Executes a call in the EVM, on a state of one contract.
import { fromHex, toHex, ZERO_ADDRESS, ZERO_HASH } from 'quorate/block'
import { developmentGenesis, parseGenesis, rulesAt } from 'quorate/chain'
import { callMessage, createWorldState, EMPTY_STATE } from 'quorate/evm'

const { configuration } = parseGenesis(developmentGenesis({ validator: ZERO_ADDRESS }))

const contract = fromHex('0x00000000000000000000000000000000000000c0')
const world = createWorldState(EMPTY_STATE)
// PUSH1 2, PUSH1 40, ADD, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
world.setCode(contract, fromHex('0x600260280160005260206000f3'))

const result = callMessage(
  {
    rules: rulesAt(configuration, 1n, 1n),
    number: 1n,
    timestamp: 1n,
    beneficiary: ZERO_ADDRESS,
    gasLimit: 30_000_000n,
    difficulty: 1n,
    prevRandao: ZERO_HASH,
    baseFeePerGas: 0n,
    blobBaseFee: 1n,
    blockHash: () => undefined,
  },
  world,
  {
    from: ZERO_ADDRESS,
    to: contract,
    gasLimit: 100_000n,
    value: 0n,
    data: new Uint8Array(0),
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
  },
)
console.log(`success ${result.success}, output ${BigInt(toHex(result.output))}, gas ${result.gasUsed}`)
