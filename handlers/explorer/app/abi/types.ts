import type { Abi, AbiEvent, AbiFunction } from 'viem'

export type AbiError = Extract<Abi[number], { readonly type: 'error' }>

/** What has a selector. */
export type AbiItem = AbiFunction | AbiEvent | AbiError
