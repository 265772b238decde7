import { useEffect, useRef } from 'preact/hooks'
import { useValue } from './hooks/useValue.ts'
import { Footer } from './layout/Footer.tsx'
import { Header } from './layout/Header.tsx'
import { StallBanner } from './layout/StallBanner.tsx'
import { Boundary } from './parts/Boundary.tsx'
import { AddressPage } from './pages/address/address.tsx'
import { BlockPage } from './pages/block.tsx'
import { BlocksPage } from './pages/blocks.tsx'
import { HomePage } from './pages/front/front.tsx'
import { LoginPage } from './pages/login.tsx'
import { MissingPage } from './pages/missing.tsx'
import { NetworkPage } from './pages/network/network.tsx'
import { PoolPage } from './pages/pool.tsx'
import { SearchPage } from './pages/search.tsx'
import { TokenPage } from './pages/token.tsx'
import { TransactionPage } from './pages/tx/transaction.tsx'
import { ValidatorsPage } from './pages/validators/validators.tsx'
import { loginNeeded } from './rpc/session.ts'
import { route, type Route } from './route.ts'

const pageOf = (shown: Route) => {
  switch (shown.page) {
    case 'home':
      return <HomePage />
    case 'blocks':
      return <BlocksPage />
    case 'validators':
      return <ValidatorsPage />
    case 'network':
      return <NetworkPage />
    case 'pool':
      return <PoolPage />
    case 'login':
      return <LoginPage />
    case 'block':
      return <BlockPage id={shown.subject} />
    case 'tx':
      return <TransactionPage hash={shown.subject} />
    case 'address':
      return <AddressPage address={shown.subject} />
    case 'token':
      return <TokenPage address={shown.subject} />
    case 'search':
      return <SearchPage text={shown.subject} />
    default:
      return <MissingPage />
  }
}

/** Frame and page. */
export const App = () => {
  const shown = useValue(route)
  const needsLogin = useValue(loginNeeded)
  const main = useRef<HTMLElement>(null)
  const place = JSON.stringify(shown)
  const first = useRef(true)
  useEffect(() => {
    // Screen readers continue at the new page, not at the link that led to it.
    if (!first.current) main.current?.focus({ preventScroll: true })
    first.current = false
  }, [place])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Header />
      <Boundary>
        <StallBanner />
      </Boundary>
      <main id="main" ref={main} tabIndex={-1} key={place}>
        <Boundary>{needsLogin ? <LoginPage /> : pageOf(shown)}</Boundary>
      </main>
      <Boundary>
        <Footer />
      </Boundary>
    </>
  )
}
