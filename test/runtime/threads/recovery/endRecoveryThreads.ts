import { encodeRecoveries } from '../../../../runtime/threads/recovery/signatureBuffers.ts'
import {
  type RecoveryThread,
  startRecoveryThread,
} from '../../../../runtime/threads/recovery/recoveryThread.ts'

/**
 * A program: starts recovery threads and ends each at another moment, every second one while it loads, the others while they
 * recover. Prints how many it ended.
 */
const ROUNDS = 20

/** No point of the curve has this r: the native addon answers with an exception, the longest way through it. */
const invalid = { hash: new Uint8Array(32).fill(1), yParity: 0, r: 5n, s: 1n }
const batch = Array.from({ length: 16 }, () => invalid)

const startBusy = (): Promise<RecoveryThread> =>
  new Promise((resolve, reject) => {
    const feed = (): void => {
      const encoded = encodeRecoveries(batch)
      thread.send(encoded, [encoded.buffer])
    }
    const thread = startRecoveryThread({
      onReady: () => {
        for (let count = 0; count < 4; count++) feed()
        resolve(thread)
      },
      onMessage: feed,
      onFailure: reject,
    })
  })

const startLoading = async (): Promise<RecoveryThread> =>
  startRecoveryThread({ onReady: () => {}, onMessage: () => {}, onFailure: () => {} })

// A thread does not keep the process alive.
const alive = setInterval(() => {}, 1000)
let ended = 0
for (let round = 0; round < ROUNDS; round++) {
  const thread = await (round % 2 === 0 ? startBusy() : startLoading())
  await new Promise(resolve => setTimeout(resolve, round % 2 === 0 ? round / 10 : 2 * round))
  await thread.stop()
  ended++
}
clearInterval(alive)
console.log(ended)
