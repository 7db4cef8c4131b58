/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - a doubly linked list with a head, for the module and for host programs
 *
 * An entry on no list points to itself, so weft_list_del() may be called twice. Locks are those of
 * the caller.
 */
#ifndef WEFT_LIST_H
#define WEFT_LIST_H

/**
 * struct weft_list - head or entry
 * @next: next entry, or the head
 * @prev: previous entry, or the head
 */
struct weft_list {
	struct weft_list *next;
	struct weft_list *prev;
};

#define weft_entry(ptr, type, member)	container_of(ptr, type, member)

static inline void weft_list_init(struct weft_list *l)
{
	l->next = l;
	l->prev = l;
}

/* Initialize @n lists. */
static inline void weft_lists_init(struct weft_list *l, unsigned int n)
{
	while (n--)
		weft_list_init(l++);
}

static inline bool weft_list_empty(const struct weft_list *l)
{
	return l->next == l;
}

/* Insert @e before @pos: at the end, when @pos is the head. */
static inline void weft_list_add_tail(struct weft_list *pos, struct weft_list *e)
{
	e->prev = pos->prev;
	e->next = pos;
	pos->prev->next = e;
	pos->prev = e;
}

/* Insert @e behind @pos: at the beginning, when @pos is the head. */
static inline void weft_list_add(struct weft_list *pos, struct weft_list *e)
{
	weft_list_add_tail(pos->next, e);
}

static inline void weft_list_del(struct weft_list *e)
{
	e->next->prev = e->prev;
	e->prev->next = e->next;
	weft_list_init(e);
}

static inline struct weft_list *weft_list_first(const struct weft_list *head)
{
	return head->next == head ? NULL : head->next;
}

/* Move the entries from @first to @last, of one list, to the end of @to. */
static inline void weft_list_move_run(struct weft_list *to, struct weft_list *first,
				      struct weft_list *last)
{
	first->prev->next = last->next;
	last->next->prev = first->prev;
	first->prev = to->prev;
	last->next = to;
	to->prev->next = first;
	to->prev = last;
}

/* Move all of @from to the end of @to. */
static inline void weft_list_splice_tail(struct weft_list *to, struct weft_list *from)
{
	if (weft_list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	weft_list_init(from);
}

#define weft_list_for_each(pos, head)						\
	for ((pos) = (head)->next; (pos) != (head); (pos) = (pos)->next)

/* @pos may be removed inside of the loop. */
#define weft_list_for_each_safe(pos, tmp, head)					\
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head);	\
	     (pos) = (tmp), (tmp) = (pos)->next)

#endif
