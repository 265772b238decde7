import type { Hex } from '../rpc/types.ts'

/** Contracts that are at the same address on every chain that has them. */
const NAMES: Readonly<Record<string, string>> = {
  '0x4e59b44847b379578588920ca78fbf26c0b4956c': 'CREATE2 deployer',
  '0xca11bde05977b3631167028862be2a173976ca11': 'Multicall3',
}

/** The name of a well-known contract; undefined for all others. */
export const nameOf = (address: Hex): string | undefined => NAMES[address.toLowerCase()]
