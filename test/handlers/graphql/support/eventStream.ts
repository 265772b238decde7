import type { Data, GraphqlError } from './graphqlNode.ts'

export type StreamEvent = { readonly data?: Data; readonly errors?: readonly GraphqlError[] }

export type EventStream = {
  /** The next event; undefined once the stream has ended. */
  next(): Promise<StreamEvent | undefined>
  /** The client goes away. */
  cancel(): Promise<void>
}

/** Reads server-sent events; what keeps the connection open is passed over. */
export const readEvents = (response: Response): EventStream => {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    cancel: () => reader.cancel(),
    next: async () => {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end >= 0) {
          const event = text.slice(0, end)
          text = text.slice(end + 2)
          const data = /^data:(.*)$/m.exec(event)?.[1]?.trim()
          if (/^event: complete$/m.test(event)) return undefined
          if (data !== undefined && data !== '') return JSON.parse(data) as StreamEvent
          continue
        }
        const { done, value } = await reader.read()
        if (done) return undefined
        text += decoder.decode(value, { stream: true })
      }
    },
  }
}
