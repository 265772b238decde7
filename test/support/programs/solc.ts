import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi } from 'viem'

export type CompiledContract = {
  readonly abi: Abi
  /** Creation code, without constructor arguments. */
  readonly bytecode: `0x${string}`
  /** The code of the contract once it is deployed, for a genesis file. */
  readonly runtimeBytecode: `0x${string}`
}

type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Record<
    string,
    Record<
      string,
      {
        readonly abi: Abi
        readonly evm: Readonly<Record<'bytecode' | 'deployedBytecode', { readonly object: string }>>
      }
    >
  >
}

const compiled = new Map<string, CompiledContract>()

/**
 * The contract of that name, compiled by solc with its optimizer from `test/support/contracts/<name>.sol`; the compiler
 * is loaded (about a second) at the first call, and each source is compiled once. The code runs on every fork from London on.
 */
export const compile = (name: string): CompiledContract => {
  const known = compiled.get(name)
  if (known !== undefined) return known
  // Required here and not imported above: loading the compiler takes a second, and most runs never compile.
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const file = `${name}.sol`
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(new URL(`../contracts/${file}`, import.meta.url), 'utf8') } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const failures = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (failures.length > 0) throw new Error(failures.map(each => each.formattedMessage).join('\n'))
  const contract = output.contracts?.[file]?.[name]
  if (contract === undefined) throw new Error(`${file} declares no contract ${name}`)
  const { bytecode, deployedBytecode } = contract.evm
  const result: CompiledContract = {
    abi: contract.abi,
    bytecode: `0x${bytecode.object}`,
    runtimeBytecode: `0x${deployedBytecode.object}`,
  }
  compiled.set(name, result)
  return result
}
