import type { Stream } from '@libp2p/interface'
import { NetworkError } from './error.ts'

const isFlushed = (stream: Stream): boolean => stream.writeBufferLength === 0 && !stream.writableNeedsDrain

/**
 * Until everything that was sent has been taken over by the socket. The stream's own `onDrain` answers at the first
 * drain for ever after, so that a sender who waits by it does not wait.
 * @throws NetworkError when the stream ends, or when nothing moves for `stallMs`
 */
export const flushed = (stream: Stream, stallMs: number): Promise<void> | undefined => {
  if (isFlushed(stream)) return undefined
  return new Promise((resolve, reject) => {
    const onStall = (): void => end(new NetworkError('TIMEOUT', `it read nothing for ${stallMs / 1000} s`))
    let timer = setTimeout(onStall, stallMs)
    const onMove = (): void => {
      if (isFlushed(stream)) return end()
      clearTimeout(timer)
      timer = setTimeout(onStall, stallMs)
    }
    const onClose = (): void => end(new NetworkError('NOT_CONNECTED', 'the stream was closed'))
    const end = (error?: NetworkError): void => {
      clearTimeout(timer)
      stream.removeEventListener('drain', onMove)
      stream.removeEventListener('idle', onMove)
      stream.removeEventListener('close', onClose)
      if (error === undefined) resolve()
      else reject(error)
    }
    stream.addEventListener('drain', onMove)
    stream.addEventListener('idle', onMove)
    stream.addEventListener('close', onClose)
    if (stream.status !== 'open') onClose()
  })
}
