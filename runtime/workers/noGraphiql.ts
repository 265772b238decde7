/** Stands for GraphiQL in the bundle of the Worker. */
export const renderGraphiQL = (): string =>
  '<!doctype html><title>Quorate GraphQL</title><p>Send queries to this address with POST.</p>'
