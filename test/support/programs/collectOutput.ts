type Child = {
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
}

/** Reads both outputs of a process. Returns the function that gives their text so far. */
export const collectOutput = ({ stdout, stderr }: Child): (() => string) => {
  let output = ''
  for (const stream of [stdout, stderr])
    void (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of stream) output += decoder.decode(chunk, { stream: true })
    })()
  return () => output
}
