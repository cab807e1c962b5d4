package web

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// blocks are networks with what they are. Order matters: the first that holds an address names it.
type block struct {
	net netip.Prefix
	is  string
}

// never are refused whatever the configuration says: nothing a person wants to read lives there, and
// the services that give a machine its keys do.
func never() []block {
	return []block{
		{netip.MustParsePrefix("169.254.169.254/32"), "the address where a cloud machine's keys are"},
		{netip.MustParsePrefix("169.254.170.2/32"), "the address where a cloud machine's keys are"},
		{netip.MustParsePrefix("100.100.100.200/32"), "the address where a cloud machine's keys are"},
		{netip.MustParsePrefix("168.63.129.16/32"), "the address where a cloud machine's settings are"},
		{netip.MustParsePrefix("fd00:ec2::254/128"), "the address where a cloud machine's keys are"},
		{netip.MustParsePrefix("fd20:ce::254/128"), "the address where a cloud machine's keys are"},
		{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
		{netip.MustParsePrefix("::/128"), "an unspecified address"},
		{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
		{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
		{netip.MustParsePrefix("255.255.255.255/32"), "a broadcast address"},
	}
}

// inside are refused unless web.allow_private is set.
func inside() []block {
	return []block{
		{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
		{netip.MustParsePrefix("::1/128"), "a loopback address"},
		{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
		{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
		{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
		{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
		{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
		{netip.MustParsePrefix("100.64.0.0/10"), "an address of a provider's inner network"},
		{netip.MustParsePrefix("fc00::/7"), "a private address"},
		{netip.MustParsePrefix("fec0::/10"), "a private address"},
		{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
		{netip.MustParsePrefix("192.0.2.0/24"), "a reserved address"},
		{netip.MustParsePrefix("198.18.0.0/15"), "a reserved address"},
		{netip.MustParsePrefix("198.51.100.0/24"), "a reserved address"},
		{netip.MustParsePrefix("203.0.113.0/24"), "a reserved address"},
		{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
		{netip.MustParsePrefix("192.88.99.0/24"), "a 6to4 relay"},
		{netip.MustParsePrefix("64:ff9b::/96"), "a translated (NAT64) address"},
		{netip.MustParsePrefix("64:ff9b:1::/48"), "a translated (NAT64) address"},
		{netip.MustParsePrefix("::ffff:0:0:0/96"), "a translated (SIIT) address"},
		{netip.MustParsePrefix("2002::/16"), "a tunnelled (6to4) address"},
		{netip.MustParsePrefix("2001::/32"), "a tunnelled (Teredo) address"},
		{netip.MustParsePrefix("::/96"), "an IPv4 address in disguise"},
		{netip.MustParsePrefix("100::/64"), "a reserved address"},
		{netip.MustParsePrefix("2001:db8::/32"), "a reserved address"},
		{netip.MustParsePrefix("3fff::/20"), "a reserved address"},
		{netip.MustParsePrefix("5f00::/16"), "a reserved address"},
	}
}

// carriers are networks whose addresses hold an IPv4 address, with the place of its first byte.
func carriers() map[netip.Prefix]int {
	return map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"):    12,
		netip.MustParsePrefix("::ffff:0:0:0/96"): 12,
		netip.MustParsePrefix("::/96"):           12,
		netip.MustParsePrefix("2002::/16"):       2,
	}
}

// rule says which addresses may be dialled. It is immutable.
type rule struct {
	never, inside []block
	carriers      map[netip.Prefix]int
	allowPrivate  bool
	reachable     []netip.AddrPort
}

func newRule(allowPrivate bool, reachable []netip.AddrPort) *rule {
	return &rule{never: never(), inside: inside(), carriers: carriers(), allowPrivate: allowPrivate, reachable: reachable}
}

// judge returns what keeps ap from being dialled, or "".
func (r *rule) judge(ap netip.AddrPort) string {
	addr := ap.Addr().Unmap().WithZone("")
	if slices.Contains(r.reachable, netip.AddrPortFrom(addr, ap.Port())) {
		return ""
	}
	for net, at := range r.carriers {
		if addr.Is6() && net.Contains(addr) {
			b := addr.As16()
			if v4 := netip.AddrFrom4([4]byte(b[at : at+4])); addr != netip.IPv6Loopback() && find(r.never, v4) != "" {
				return find(r.never, v4)
			}
		}
	}
	if is := find(r.never, addr); is != "" || r.allowPrivate {
		return is
	}
	return find(r.inside, addr)
}

func find(blocks []block, addr netip.Addr) string {
	for _, b := range blocks {
		if b.net.Contains(addr) {
			return b.is
		}
	}
	return ""
}

// addressError is the error of a connection that was not made.
type addressError struct {
	addr string
	is   string
	firm bool // not even web.allow_private lets it through
}

func (e *addressError) Error() string {
	return fmt.Sprintf("its address %s is %s", e.addr, e.is)
}

// control judges the address a dialer is about to connect to: after name lookup, right before connect,
// so that nothing can be exchanged in between.
func (r *rule) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &addressError{addr: network + " " + address, is: "no internet address", firm: true}
	}
	if is := r.judge(ap); is != "" {
		return &addressError{addr: ap.Addr().String(), is: is, firm: r.allowPrivate || find(r.never, ap.Addr().Unmap().WithZone("")) != ""}
	}
	return nil
}
