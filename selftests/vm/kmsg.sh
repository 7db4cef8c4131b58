# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Messages that no kernel log may have. Used on both sides of the machine.

# kmsg_bad <LOG: prints the lines that report an error; fails if there is none.
#
# (The kernel has data races of its own: those without weft are passed over. DEBUG_VM warns of a
# thread that does not wait while a program handles its page faults. weft's workers do so on
# purpose.)
kmsg_bad()
{
	sed -e '/BUG: KCSAN: /{/\[weft\]/!d}' \
		-e '/FAULT_FLAG_ALLOW_RETRY missing/,/<.TASK>/{/Call Trace:/d}' |
		LC_ALL=C grep -aE \
		-e 'WARNING: |BUG: |BUG [a-z]|kernel BUG at|Oops|Kernel panic' \
		-e 'general protection fault[,:]|unable to handle|double fault' \
		-e 'KASAN: |KFENCE: .* in |UBSAN|refcount_t: ' \
		-e 'blocked for more than|soft lockup|hard LOCKUP' \
		-e 'self-detected stall|detected stalls|rcu.* kthread starved' \
		-e 'possible .* detected|inconsistent lock state|suspicious RCU' \
		-e 'lock held when returning|held lock freed|bad unlock balance' \
		-e 'list_(add|del) corruption|Bad page (state|map)|Bad rss' \
		-e 'scheduling while atomic|sleeping function called' \
		-e 'unregister_netdevice: waiting|objects remaining|Objects remaining' \
		-e 'unreferenced object|nobody cared|Call Trace:'
}
