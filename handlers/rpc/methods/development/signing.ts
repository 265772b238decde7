import { personalSign, signMessage, signTransaction, signTypedData } from '../../development/signing.ts'
import { type Method, method } from '../../method.ts'

/** Signatures by the unlocked accounts of a development chain. */
export const DEV_SIGNING_METHODS: readonly Method[] = [
  method({
    name: 'eth_sign',
    group: 'DEV',
    summary: 'Signs a message (EIP-191)',
    params: { account: 'Address', message: 'Data' },
    result: 'Data',
    handle: signMessage,
  }),
  method({
    name: 'personal_sign',
    group: 'DEV',
    summary: 'Signs a message (EIP-191)',
    params: { message: 'Data', account: 'Address' },
    result: 'Data',
    handle: personalSign,
  }),
  method({
    name: 'eth_signTypedData_v4',
    group: 'DEV',
    summary: 'Signs typed data (EIP-712)',
    params: { account: 'Address', typedData: 'TypedData' },
    result: 'Data',
    handle: signTypedData,
  }),
  method({
    name: 'eth_signTransaction',
    group: 'DEV',
    summary: 'Fills in the missing fields of a transaction and signs it',
    params: { transaction: 'Call' },
    result: 'Data',
    handle: signTransaction,
  }),
]
