import { execFile } from 'node:child_process'
import { env } from 'node:process'
import type { Log } from '../../logging/log.ts'

/** systemd kills a start that takes longer than this many milliseconds anyway. */
const TIMEOUT_MS = 10_000

/**
 * Tells systemd the state of the service, where it asks for it (`Type=notify`). The socket is one of datagrams, which no runtime
 * opens, so `systemd-notify` sends it: the unit needs `NotifyAccess=all`.
 */
export const notifyServiceManager = (state: '--ready' | '--stopping', log: Log): void => {
  if (env.NOTIFY_SOCKET === undefined) return
  execFile('systemd-notify', [state], { timeout: TIMEOUT_MS }, cause => {
    if (cause !== null) log.warn('systemd-notify {state} failed: {reason}', { state, reason: cause.message })
  })
}
