import { call } from '../rpc/client.ts'
import { isRefused } from '../rpc/failure.ts'
import { loginNeeded, token } from '../rpc/session.ts'
import type { RpcStatus } from '../rpc/types.ts'
import { createValue } from '../rpc/value.ts'

/** Polling interval for the state of the network. */
const INTERVAL_MS = 3_000

/** The last answer of qbft_getStatus, and why there is none. */
export const status = createValue<{ readonly value?: RpcStatus; readonly error?: unknown }>({})

/** True until it was read once; then while the page is visible, and the node has not refused the method. */
const isWanted = (): boolean => {
  const { value, error } = status.get()
  const isRead = value !== undefined || error !== undefined
  return !(isRead && document.hidden) && !loginNeeded.get() && !isRefused(error)
}

// Another token may permit the method.
token.watch(() => status.set({}))

const ask = async (): Promise<void> => {
  try {
    status.set({ value: await call<RpcStatus>('qbft_getStatus') })
  } catch (error) {
    status.set({ error })
  }
}

const pollForEver = async (): Promise<void> => {
  for (;;) {
    if (isWanted()) await ask()
    await new Promise(resolve => setTimeout(resolve, INTERVAL_MS))
  }
}

export const startStatus = (): void => void pollForEver()
